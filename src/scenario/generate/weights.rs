//! How often each kind of operation is drawn.

use crate::isr::Operation;
use crate::scenario::Dice;

const KINDS: usize = Operation::NAMES.len();

/// A mix of operations for a purpose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    /// Clients, slow followers and syncs: no node fails, no link is cut.
    Calm,
    /// Nodes are cut off and come back.
    Partitions,
    /// Leadership moves often.
    Elections,
    /// Nodes crash and lose what they had not synced.
    PowerLoss,
    /// Everything at once.
    Chaos,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 5] =
        [Self::Calm, Self::Partitions, Self::Elections, Self::PowerLoss, Self::Chaos];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Partitions => "partitions",
            Self::Elections => "elections",
            Self::PowerLoss => "power-loss",
            Self::Chaos => "chaos",
        }
    }

    /// The profile of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// What the profile is for.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Calm => "clients, slow followers and syncs: no node fails, no link is cut",
            Self::Partitions => "nodes are cut off and come back",
            Self::Elections => "leadership moves often",
            Self::PowerLoss => "nodes crash and lose what they had not synced",
            Self::Chaos => "everything at once",
        }
    }

    /// The weights before swarm.
    #[rustfmt::skip]
    pub const fn weights(self) -> Weights {
        // By Operation::KINDS:
        //   write submit read lease tick idle slow fsync crash restart isolate heal elect
        //   drop duplicate delay reorder cut heal-link
        Weights(match self {
            Self::Calm =>       [12, 6, 4, 2, 10, 1, 6, 2, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0],
            Self::Partitions => [10, 5, 3, 2,  8, 1, 2, 1, 0, 0, 5, 5, 2,  2, 0, 0, 0, 2, 2],
            Self::Elections =>  [10, 6, 3, 2,  8, 1, 2, 1, 2, 2, 2, 2, 6,  1, 1, 1, 1, 0, 0],
            Self::PowerLoss =>  [10, 5, 3, 2,  8, 1, 1, 3, 5, 5, 0, 0, 3,  0, 0, 1, 0, 0, 0],
            Self::Chaos =>      [ 8, 5, 3, 2,  7, 1, 3, 2, 3, 3, 3, 3, 3,  2, 2, 2, 2, 1, 1],
        })
    }
}

/// A weight for each kind of operation, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights([u32; KINDS]);

impl Weights {
    /// Sets the weight of one kind.
    pub fn set(&mut self, kind: usize, weight: u32) {
        self.0[kind] = weight;
    }

    /// This sequence's own weights: each kind is left out once in five, else made up to four times
    /// as likely. Writes and ticks are never both missing: without them nothing happens.
    pub(super) fn swarm(mut self, dice: &mut Dice) -> Self {
        for weight in &mut self.0 {
            *weight *= if dice.chance(1, 5) { 0 } else { dice.pick(&[1, 2, 4]) };
        }
        let [write, submit, _, _, tick, ..] = &mut self.0;
        if *write == 0 && *submit == 0 {
            *write = 8;
        }
        if *write == 0 && *tick == 0 {
            *tick = 8;
        }
        self
    }

    /// A kind, each as likely as its weight says; the first if all weights are zero.
    #[inline]
    pub(super) fn pick(&self, total: u32, dice: &mut Dice) -> usize {
        let mut rest = dice.below(total);
        for (kind, &weight) in self.0.iter().enumerate() {
            if rest < weight {
                return kind;
            }
            rest -= weight;
        }
        0
    }

    pub(super) fn total(&self) -> u32 {
        self.0.iter().sum()
    }
}
