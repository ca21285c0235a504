//! Distinct small types: node, node set, offset, epoch, key, value, write.

use std::fmt;
use std::num::NonZeroU16;

/// The most nodes that one partition can have.
pub const MAX_NODES: usize = 8;

/// A replica, by its place in the configuration, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u8);

impl NodeId {
    /// The node at `index` in configuration order.
    ///
    /// # Panics
    /// If `index` is not below [`MAX_NODES`]; configurations are checked before ids are made.
    #[inline]
    pub const fn new(index: usize) -> Self {
        assert!(index < MAX_NODES);
        Self(index as u8)
    }

    /// Place in the configuration, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of nodes, as a bit set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NodeSet(u16);

impl NodeSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The first `count` nodes of the configuration.
    ///
    /// # Panics
    /// If `count` is above [`MAX_NODES`]; configurations are checked before sets are made.
    #[inline]
    pub const fn first(count: usize) -> Self {
        assert!(count <= MAX_NODES);
        Self(((1_u32 << count) - 1) as u16)
    }

    /// Whether `node` is a member.
    #[inline]
    pub const fn contains(self, node: NodeId) -> bool {
        self.0 & (1 << node.0) != 0
    }

    /// Adds `node`; true if it was not a member.
    #[inline]
    pub fn insert(&mut self, node: NodeId) -> bool {
        let was_out = !self.contains(node);
        self.0 |= 1 << node.0;
        was_out
    }

    /// Removes `node`; true if it was a member.
    #[inline]
    pub fn remove(&mut self, node: NodeId) -> bool {
        let was_in = self.contains(node);
        self.0 &= !(1 << node.0);
        was_in
    }

    /// Number of members.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no member.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Members of both.
    #[must_use]
    #[inline]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Members of this set that are not in `other`.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The nodes of a bit mask, node 0 in the lowest bit.
    #[inline]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The members as a bit mask, node 0 in the lowest bit.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Members in configuration order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = NodeId> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let index = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            Some(NodeId(index))
        })
    }
}

impl FromIterator<NodeId> for NodeSet {
    #[inline]
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        let mut set = Self::EMPTY;
        for node in nodes {
            set.insert(node);
        }
        set
    }
}

impl fmt::Debug for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(NodeId::index)).finish()
    }
}

/// A position in a log, counted from 1; 0 stands before the first entry. So an offset is also a
/// number of entries: the high watermark 3 says that three entries are committed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Offset(pub u32);

impl Offset {
    /// Before the first entry.
    pub const ZERO: Self = Self(0);

    /// As a number of entries.
    #[inline]
    pub const fn entries(self) -> usize {
        self.0 as usize
    }

    /// The offset one further on.
    #[must_use]
    #[inline]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The leadership in which an entry was written or a packet was sent; grows with every election.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct LeaderEpoch(pub u32);

impl fmt::Display for LeaderEpoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An interned key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyId(pub u16);

/// An interned value. Never zero, so that an absent value costs no room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ValueId(pub NonZeroU16);

impl ValueId {
    /// The value numbered `index`, from 0. None when ids are used up (65,535 values).
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index >= u16::MAX as usize {
            return None;
        }
        match NonZeroU16::new(index as u16 + 1) {
            Some(id) => Some(Self(id)),
            None => None,
        }
    }

    /// The number given to [`ValueId::from_index`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// One client write, numbered in the order of submission. Names a write in events; no part of a
/// state's identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WriteId(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_nodes_of_a_configuration_are_those_and_no_others() {
        for count in 0..=MAX_NODES {
            let set = NodeSet::first(count);
            assert_eq!(set.len(), count);
            assert!(set.iter().map(NodeId::index).eq(0..count));
        }
    }

    #[test]
    fn inserting_and_removing_say_what_changed() {
        let mut set = NodeSet::first(2);
        assert!(!set.insert(NodeId::new(1)) && set.insert(NodeId::new(7)));
        assert!(set.remove(NodeId::new(0)) && !set.remove(NodeId::new(0)));
        assert_eq!(set, NodeSet::from_iter([NodeId::new(7), NodeId::new(1)]));
        assert_eq!(set.without(NodeSet::first(2)).and(NodeSet::first(8)).len(), 1);
    }
}
