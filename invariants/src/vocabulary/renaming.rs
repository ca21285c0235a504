//! Other names for the same nodes.

use crate::vocabulary::{MAX_NODES, NodeId, NodeSet};

/// A permutation of the nodes of a configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Renaming {
    /// By old name, the new one.
    to: [u8; MAX_NODES],
    /// By new name, the old one.
    from: [u8; MAX_NODES],
    nodes: u8,
}

impl Renaming {
    /// Every node keeps its name.
    ///
    /// # Panics
    /// If there are more than [`MAX_NODES`].
    pub fn identity(nodes: usize) -> Self {
        let mut names = [0; MAX_NODES];
        for (node, name) in names[..nodes].iter_mut().enumerate() {
            *name = node as u8;
        }
        Self { to: names, from: names, nodes: nodes as u8 }
    }

    /// All permutations of so many nodes, the identity first.
    ///
    /// # Panics
    /// If there are more than [`MAX_NODES`].
    pub fn all(nodes: usize) -> Vec<Self> {
        let mut all = vec![Self::identity(nodes)];
        // Each way to put node number `last` into a permutation of those before it.
        for last in 1..nodes {
            for index in 0..all.len() {
                for place in 0..last {
                    let mut renaming = all[index];
                    renaming.from[..nodes].swap(place, last);
                    renaming.invert();
                    all.push(renaming);
                }
            }
        }
        all
    }

    fn invert(&mut self) {
        for (name, &node) in self.from[..usize::from(self.nodes)].iter().enumerate() {
            self.to[usize::from(node)] = name as u8;
        }
    }

    /// The new name of a node.
    #[inline]
    pub fn node(&self, node: NodeId) -> NodeId {
        NodeId::new(usize::from(self.to[node.index()]))
    }

    /// The old name of a node.
    #[inline]
    pub fn old(&self, node: NodeId) -> NodeId {
        NodeId::new(usize::from(self.from[node.index()]))
    }

    /// The new names of nodes.
    #[inline]
    #[must_use]
    pub fn set(&self, nodes: NodeSet) -> NodeSet {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    /// All nodes by their old names, in the order of the new ones.
    #[inline]
    pub fn in_new_order(&self) -> impl Iterator<Item = NodeId> {
        let old = self.from;
        old.into_iter().take(usize::from(self.nodes)).map(|node| NodeId::new(usize::from(node)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_as_many_as_there_are_orders_and_each_leads_back() {
        for (nodes, number) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120)] {
            let all = Renaming::all(nodes);
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), number);
            assert_eq!(all[0], Renaming::identity(nodes));
            for renaming in all {
                let order: Vec<_> = renaming.in_new_order().collect();
                for (new, &old) in order.iter().enumerate() {
                    assert_eq!(renaming.node(old), NodeId::new(new));
                    assert_eq!(renaming.old(NodeId::new(new)), old);
                }
                let all_nodes = NodeSet::first(nodes);
                assert_eq!(renaming.set(all_nodes), all_nodes);
            }
        }
    }
}
