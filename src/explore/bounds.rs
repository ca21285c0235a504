//! What an exploration is bounded by: which operations are offered, and how often along one way.

use crate::model::Model;
use arrayvec::ArrayVec;
use std::fmt;

/// The most bounds with a number.
const COUNTED_MAX: usize = 16;

/// How often each counted bound has been used on the way to a state.
pub type Used = [u8; COUNTED_MAX];

/// Which classes of operations are offered, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// By class: whether it is offered, and which counted bound it is under.
    classes: Vec<Class>,
    /// The counted bounds.
    limits: ArrayVec<u8, COUNTED_MAX>,
    /// As they were given.
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    NotOffered,
    Unbounded,
    Counted(u8),
}

/// What is wrong with bounds as text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadBounds {
    /// Nothing is offered.
    #[error("nothing is offered; give operations, as in write=2,tick")]
    Empty,
    /// No such class.
    #[error("unknown operation {name:?}; known are {known}")]
    Unknown {
        /// What is not known.
        name: String,
        /// What is.
        known: String,
    },
    /// A class is there twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// No number from 0 to 255.
    #[error("{0:?}: give a number from 0 to 255, as in write=2")]
    Number(String),
    /// Too many.
    #[error("more than {COUNTED_MAX} bounds with a number")]
    TooMany,
}

impl Bounds {
    /// Everything that the model offers, as often as it likes.
    pub fn none<M: Model>() -> Self {
        let classes = vec![Class::Unbounded; M::CLASSES.len()];
        Self { classes, limits: ArrayVec::new(), text: M::CLASSES.join(",") }
    }

    /// Reads `write+submit=2,crash=1,tick`: at most two writes of either kind, at most one crash, any
    /// number of ticks, and nothing else.
    ///
    /// # Errors
    /// Names what is not known, there twice, or no number.
    pub fn parse<M: Model>(text: &str) -> Result<Self, BadBounds> {
        let mut bounds = Self {
            classes: vec![Class::NotOffered; M::CLASSES.len()],
            limits: ArrayVec::new(),
            text: text.to_owned(),
        };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (names, number) = match part.split_once('=') {
                None => (part, None),
                Some((names, number)) => {
                    let bad = || BadBounds::Number(number.to_owned());
                    (names, Some(number.trim().parse().map_err(|_| bad())?))
                }
            };
            let class = match number {
                None => Class::Unbounded,
                Some(0) => Class::NotOffered,
                Some(limit) => {
                    let place = bounds.limits.len() as u8;
                    bounds.limits.try_push(limit).map_err(|_| BadBounds::TooMany)?;
                    Class::Counted(place)
                }
            };
            for name in names.split('+').map(str::trim) {
                let known = M::CLASSES.iter().position(|&known| known == name);
                let index = known.ok_or_else(|| BadBounds::Unknown {
                    name: name.to_owned(),
                    known: M::CLASSES.join(", "),
                })?;
                if bounds.classes[index] != Class::NotOffered {
                    return Err(BadBounds::Twice(name.to_owned()));
                }
                bounds.classes[index] = class;
            }
        }
        if bounds.classes.iter().all(|&class| class == Class::NotOffered) {
            return Err(BadBounds::Empty);
        }
        Ok(bounds)
    }

    /// The kinds of operations of a sequence, each as often as it is there.
    pub fn of<M: Model>(operations: &[M::Operation]) -> Self {
        let count =
            |class| operations.iter().filter(|&&operation| M::class(operation) == class).count();
        let parts = M::CLASSES.iter().enumerate().map(|(class, name)| (name, count(class)));
        let parts = parts.filter(|&(_, number)| number > 0);
        // More than a byte can count is as good as any number, and so is what has no room.
        let text = parts.enumerate().map(|(place, (name, number))| {
            let is_counted = place < COUNTED_MAX && number <= u8::MAX.into();
            if is_counted { format!("{name}={number}") } else { (*name).to_owned() }
        });
        Self::parse::<M>(&text.collect::<Vec<_>>().join(",")).unwrap_or_else(|_| Self::none::<M>())
    }

    /// Whether an operation of this class is offered where `used` has been used up.
    #[inline]
    pub fn allow(&self, class: usize, used: &Used) -> bool {
        match self.classes[class] {
            Class::NotOffered => false,
            Class::Unbounded => true,
            Class::Counted(place) => used[place as usize] < self.limits[place as usize],
        }
    }

    /// Counts an operation of this class.
    #[inline]
    pub fn count(&self, class: usize, used: &mut Used) {
        if let Class::Counted(place) = self.classes[class] {
            used[place as usize] += 1;
        }
    }

    /// Whether operations of this class are offered at all.
    pub fn offers(&self, class: usize) -> bool {
        self.classes[class] != Class::NotOffered
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
