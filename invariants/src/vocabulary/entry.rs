//! A log entry in one machine word, and the two questions that are asked of logs all the time.

use crate::vocabulary::{KeyId, LeaderEpoch, Offset, ValueId};
use smallvec::SmallVec;
use std::fmt;
use std::num::NonZeroU16;

/// A log: the entry at offset *i* is element *i - 1*. Short logs live inline, long ones on the heap.
pub type Log = SmallVec<[Entry; 24]>;

/// What was written, and in which leader epoch. The offset is the entry's place in its log.
///
/// Packed into 64 bits, so that comparing entries is comparing words.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry(u64);

impl Entry {
    /// An entry of `leader_epoch`.
    #[inline]
    pub const fn new(leader_epoch: LeaderEpoch, key: KeyId, value: ValueId) -> Self {
        Self((leader_epoch.0 as u64) << 32 | (key.0 as u64) << 16 | value.0.get() as u64)
    }

    /// The leader epoch in which the entry was written (its history, not a packet's authority).
    #[inline]
    pub const fn leader_epoch(self) -> LeaderEpoch {
        LeaderEpoch((self.0 >> 32) as u32)
    }

    /// The key.
    #[inline]
    pub const fn key(self) -> KeyId {
        KeyId((self.0 >> 16) as u16)
    }

    /// The value.
    #[inline]
    pub const fn value(self) -> ValueId {
        match NonZeroU16::new(self.0 as u16) {
            Some(id) => ValueId(id),
            None => unreachable!(),
        }
    }

    /// The entry as one word, for hashing and canonical encodings.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}:k{}=v{}", self.leader_epoch(), self.key().0, self.value().index())
    }
}

/// The entry of `log` at `offset`, if it has one.
#[inline]
pub fn entry_at(log: &[Entry], offset: Offset) -> Option<Entry> {
    offset.entries().checked_sub(1).and_then(|index| log.get(index)).copied()
}

/// Whether `prefix` is a prefix of `log`.
#[inline]
pub fn is_prefix(prefix: &[Entry], log: &[Entry]) -> bool {
    prefix.len() <= log.len() && difference_bits(prefix, log) == 0
}

/// The first offset, within the shorter of the two, at which the logs hold different entries.
#[inline]
pub fn first_difference(a: &[Entry], b: &[Entry]) -> Option<Offset> {
    if difference_bits(a, b) == 0 {
        return None;
    }
    a.iter().zip(b).position(|(a, b)| a != b).map(|index| Offset(index as u32 + 1))
}

/// Zero iff the logs agree over the shorter length. No early exit: logs are short and nearly always
/// agree, and a loop without a branch is compiled to vector instructions.
#[inline]
fn difference_bits(a: &[Entry], b: &[Entry]) -> u64 {
    a.iter().zip(b).fold(0, |bits, (a, b)| bits | (a.0 ^ b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(epoch: u32, key: u16, value: usize) -> Entry {
        Entry::new(LeaderEpoch(epoch), KeyId(key), ValueId::from_index(value).unwrap())
    }

    #[test]
    fn an_entry_gives_back_what_it_was_made_of() {
        let entry = entry(u32::MAX, u16::MAX, 65_534);
        assert_eq!(entry.leader_epoch(), LeaderEpoch(u32::MAX));
        assert_eq!(entry.key(), KeyId(u16::MAX));
        assert_eq!(entry.value().index(), 65_534);
    }

    #[test]
    fn entries_that_differ_in_any_one_part_differ() {
        let base = entry(1, 1, 1);
        for other in [entry(2, 1, 1), entry(1, 2, 1), entry(1, 1, 2)] {
            assert_ne!(base, other);
            assert_eq!(first_difference(&[base, base], &[base, other]), Some(Offset(2)));
        }
    }

    #[test]
    fn offsets_count_from_one() {
        let log = [entry(1, 0, 0), entry(1, 0, 1)];
        let at = |offset| entry_at(&log, Offset(offset));
        assert_eq!([at(0), at(1), at(2), at(3)], [None, Some(log[0]), Some(log[1]), None]);
    }

    #[test]
    fn a_prefix_is_no_longer_than_its_log() {
        let (a, b) = (entry(1, 0, 0), entry(1, 0, 1));
        assert!(is_prefix(&[], &[]) && is_prefix(&[a], &[a, b]));
        assert!(!is_prefix(&[a, b], &[a]) && !is_prefix(&[b], &[a, b]));
    }
}
