//! The set of visited states: a fixed-slot, insert-only, lock-free table of fingerprints.
//!
//! A slot is one word for a 64-bit fingerprint and two for a 128-bit one; an empty slot is 0. A
//! fingerprint's home is where it would be if all slots were filled evenly in the order of
//! fingerprints, and it is in the first slot from there on that was free. So the table is sorted but
//! for short displacements, growing it is one pass from front to back, and the high bits of a
//! fingerprint say which part of the table it belongs to: parts can be given to owners.

use std::sync::atomic::{AtomicU64, Ordering};

/// What identifies a state. Never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fingerprint {
    /// The high word: all of it, if fingerprints have 64 bits.
    high: u64,
    /// The low word; 0 if fingerprints have 64 bits.
    low: u64,
}

impl Fingerprint {
    /// A 64-bit fingerprint. 0 stands for no state, so the one hash in 2^64 that is 0 becomes 1.
    #[inline]
    pub fn narrow(hash: u64) -> Self {
        Self { high: hash.max(1), low: 0 }
    }

    /// A 128-bit fingerprint.
    #[inline]
    pub fn wide(hash: u128) -> Self {
        Self { high: ((hash >> 64) as u64).max(1), low: (hash as u64).max(1) }
    }

    /// The words: the high one, and the low one, which is 0 for 64 bits.
    pub const fn words(self) -> (u64, u64) {
        (self.high, self.low)
    }

    /// The fingerprint of these words. `None` if the high one is 0.
    pub const fn from_words(high: u64, low: u64) -> Option<Self> {
        if high == 0 { None } else { Some(Self { high, low }) }
    }

    /// Which of `parts` equal parts of all fingerprints this one is in: its owner.
    #[inline]
    pub fn part(self, parts: usize) -> usize {
        scale(self.high, parts)
    }
}

/// `word` out of 2^64, out of `end`.
#[inline]
fn scale(word: u64, end: usize) -> usize {
    ((u128::from(word) * end as u128) >> 64) as usize
}

/// A word of the table. A trait, so that a model checker of threads can put its own in place.
pub trait Word: Send + Sync {
    /// A word that holds 0.
    fn empty() -> Self;
    /// What it holds, and what was stored before that.
    fn load(&self) -> u64;
    /// Puts `word` in place of 0. What was there, if that was something else.
    fn fill(&self, word: u64) -> Result<(), u64>;
}

impl Word for AtomicU64 {
    #[inline]
    fn empty() -> Self {
        Self::new(0)
    }

    #[inline]
    fn load(&self) -> u64 {
        Self::load(self, Ordering::Acquire)
    }

    #[inline]
    fn fill(&self, word: u64) -> Result<(), u64> {
        self.compare_exchange(0, word, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }
}

/// Whether a fingerprint was new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// It was not there; now it is.
    New,
    /// It was there.
    Known,
    /// It was not there, and there is no room for it.
    Full,
}

/// The set.
#[derive(Debug)]
pub struct Table<W = AtomicU64> {
    words: Vec<W>,
    /// Words of a slot: 1 or 2.
    width: usize,
    /// Slots in which a fingerprint may be at home.
    homes: usize,
}

/// Slots behind the last home, for what is displaced from there. Far more than ever displaced at the
/// loads that the explorer allows.
const TAIL: usize = 1024;

impl<W: Word> Table<W> {
    /// An empty table with homes for so many fingerprints, of 128 bits if `is_wide`.
    pub fn new(homes: usize, is_wide: bool) -> Self {
        let width = if is_wide { 2 } else { 1 };
        let words = (0..(homes.max(1) + TAIL) * width).map(|_| W::empty()).collect();
        Self { words, width, homes: homes.max(1) }
    }

    /// Bytes that a table of so many homes takes.
    pub const fn bytes(homes: usize, is_wide: bool) -> usize {
        (homes + TAIL) * if is_wide { 16 } else { 8 }
    }

    /// In how many slots a fingerprint may be at home.
    pub fn homes(&self) -> usize {
        self.homes
    }

    /// Whether `fingerprint` is there.
    #[inline]
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        let mut slot = self.home(fingerprint);
        while let Some(found) = self.get(slot) {
            if found == fingerprint {
                return true;
            }
            slot += 1;
        }
        false
    }

    /// Inserts a fingerprint. Of several threads that insert the same, exactly one is told that it
    /// is new.
    #[inline]
    pub fn insert(&self, fingerprint: Fingerprint) -> Inserted {
        for slot in self.home(fingerprint)..self.slots() {
            let word = &self.words[slot * self.width];
            let there = match word.load() {
                0 => match word.fill(fingerprint.high) {
                    Ok(()) => {
                        if self.width == 2 {
                            // Nobody else stores here: this thread has the slot.
                            let _ = self.words[slot * 2 + 1].fill(fingerprint.low);
                        }
                        return Inserted::New;
                    }
                    Err(there) => there,
                },
                there => there,
            };
            if there == fingerprint.high && self.low(slot) == fingerprint.low {
                return Inserted::Known;
            }
        }
        Inserted::Full
    }

    /// All fingerprints, in ascending order. Not while others insert.
    pub fn iter_sorted(&self) -> impl Iterator<Item = Fingerprint> {
        let mut slot = 0;
        let mut cluster: Vec<Fingerprint> = Vec::new();
        // Whatever is displaced is displaced within a run of full slots.
        std::iter::from_fn(move || {
            if cluster.is_empty() {
                while slot < self.slots() && self.get(slot).is_none() {
                    slot += 1;
                }
                while let Some(found) = self.get(slot) {
                    cluster.push(found);
                    slot += 1;
                }
                cluster.sort_unstable_by(|one, other| other.cmp(one));
            }
            cluster.pop()
        })
    }

    /// The same fingerprints in a table with more homes. Not while others insert.
    #[must_use]
    pub fn grown(&self, homes: usize) -> Self {
        let grown = Self::new(homes, self.width == 2);
        for fingerprint in self.iter_sorted() {
            let inserted = grown.insert(fingerprint);
            debug_assert_eq!(inserted, Inserted::New);
        }
        grown
    }

    fn slots(&self) -> usize {
        self.words.len() / self.width
    }

    #[inline]
    fn home(&self, fingerprint: Fingerprint) -> usize {
        scale(fingerprint.high, self.homes)
    }

    #[inline]
    fn get(&self, slot: usize) -> Option<Fingerprint> {
        let high = self.words.get(slot * self.width)?.load();
        (high != 0).then(|| Fingerprint { high, low: self.low(slot) })
    }

    /// The low word of a slot that is taken. Between taking a slot and storing its low word there is
    /// a moment; whoever comes then waits for it.
    #[inline]
    fn low(&self, slot: usize) -> u64 {
        if self.width == 1 {
            return 0;
        }
        loop {
            match self.words[slot * 2 + 1].load() {
                0 => std::hint::spin_loop(),
                low => return low,
            }
        }
    }
}

#[cfg(test)]
mod tests;
