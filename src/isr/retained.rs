//! The window of latest leader appends that can be replayed to a follower.

use highwater_invariants::clone_in_place;
use highwater_invariants::{Entry, Offset};
use smallvec::SmallVec;

/// The last entries appended by leaders, oldest first. After an election their offsets need be
/// neither contiguous nor sorted, and entries that the election cut from the leader's log may still
/// be here.
#[derive(Debug, Default)]
pub struct Retained {
    entries: SmallVec<[(Offset, Entry); 16]>,
}

clone_in_place!(Retained: copied { entries } cloned {});

impl Retained {
    /// Adds an append; beyond `capacity` entries the oldest is dropped.
    /// True if one was.
    #[inline]
    pub fn push(&mut self, offset: Offset, entry: Entry, capacity: usize) -> bool {
        let is_full = self.entries.len() == capacity;
        if is_full {
            self.entries.remove(0);
        }
        self.entries.push((offset, entry));
        is_full
    }

    /// Forgets everything and retains the last `capacity` entries of `log`.
    pub fn rebuild(&mut self, log: &[Entry], capacity: usize) {
        let from = log.len().saturating_sub(capacity);
        self.entries.clear();
        let entries = log.iter().zip(1..).skip(from);
        self.entries.extend(entries.map(|(&entry, offset)| (Offset(offset), entry)));
    }

    /// The offset of the oldest entry, which need not be the smallest.
    #[inline]
    pub fn first_offset(&self) -> Option<Offset> {
        self.entries.first().map(|&(offset, _)| offset)
    }

    /// The entries, oldest first.
    #[inline]
    pub fn entries(&self) -> &[(Offset, Entry)] {
        &self.entries
    }
}
