//! A key-value table indexed by key id: what the replay of a log gives.

use crate::vocabulary::{Entry, KeyId, ValueId};
use smallvec::SmallVec;
use std::fmt;

/// What a client would read: the last value of every key.
///
/// Two tables are equal when they hold the same values, however they came to hold them.
#[derive(Default)]
pub struct Table {
    /// By key id; what lies beyond the end is absent.
    values: SmallVec<[Option<ValueId>; 8]>,
}

crate::clone_in_place!(Table: copied { values } cloned {});

impl Table {
    /// The replay of `log`, from nothing.
    #[inline]
    pub fn replay(log: &[Entry]) -> Self {
        let mut table = Self::default();
        table.apply_all(log);
        table
    }

    /// The value of `key`, if it has one.
    #[inline]
    pub fn get(&self, key: KeyId) -> Option<ValueId> {
        self.values.get(usize::from(key.0)).copied().flatten()
    }

    /// Applies one entry.
    #[inline]
    pub fn apply(&mut self, entry: Entry) {
        let index = usize::from(entry.key().0);
        if index >= self.values.len() {
            self.values.resize(index + 1, None);
        }
        self.values[index] = Some(entry.value());
    }

    /// Applies entries in order.
    #[inline]
    pub fn apply_all(&mut self, entries: &[Entry]) {
        for &entry in entries {
            self.apply(entry);
        }
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The keys that have a value, with it, in key order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (KeyId, ValueId)> {
        self.values
            .iter()
            .enumerate()
            .filter_map(|(index, value)| value.map(|value| (KeyId(index as u16), value)))
    }
}

impl PartialEq for Table {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let (short, long) =
            if self.values.len() < other.values.len() { (self, other) } else { (other, self) };
        let (head, tail) = long.values.split_at(short.values.len());
        head == short.values.as_slice() && tail.iter().all(Option::is_none)
    }
}

impl Eq for Table {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value)| (key.0, value.index()))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::LeaderEpoch;

    #[test]
    fn the_last_write_of_a_key_wins_and_room_for_absent_keys_does_not_count() {
        let value = |index| ValueId::from_index(index).unwrap();
        let entry = |key, index| Entry::new(LeaderEpoch(1), KeyId(key), value(index));
        let table = Table::replay(&[entry(3, 0), entry(0, 1), entry(3, 2)]);
        assert_eq!(table.get(KeyId(3)), Some(value(2)));
        assert_eq!(table.get(KeyId(1)), None);
        assert_eq!(table.get(KeyId(99)), None);

        let mut widened = Table::replay(&[entry(0, 1)]);
        widened.values.resize(12, None);
        assert_eq!(widened, Table::replay(&[entry(0, 1)]));
        assert_ne!(widened, table);
    }
}
