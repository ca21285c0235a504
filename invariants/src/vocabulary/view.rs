//! The partition as a checker sees it.

use crate::vocabulary::{Entry, LeaderEpoch, NodeId, NodeSet, Offset, Table};

/// What a node believes of the partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Belief {
    /// That it leads.
    pub leads: bool,
    /// The in-sync replica set.
    pub isr: NodeSet,
    /// The offset of the last committed entry.
    pub high_watermark: Offset,
}

/// A look at a replicated partition. Reading it changes nothing.
///
/// A model that has no durable image, or keeps no key-value data, answers `None`, and the
/// invariants that speak of them stay untested for it.
pub trait View {
    /// All nodes of the configuration.
    fn nodes(&self) -> NodeSet;
    /// Nodes that are up.
    fn alive(&self) -> NodeSet;
    /// The controller's leader, if it has one; it may be down.
    fn leader(&self) -> Option<NodeId>;
    /// The current leader epoch.
    fn leader_epoch(&self) -> LeaderEpoch;
    /// The in-sync replica set.
    fn isr(&self) -> NodeSet;
    /// The configured `min.insync.replicas`.
    fn min_insync_replicas(&self) -> usize;
    /// The offset of the last committed entry.
    fn high_watermark(&self) -> Offset;
    /// The log of `node`; the entry at offset *i* is element *i - 1*.
    fn log(&self, node: NodeId) -> &[Entry];
    /// Through which offset `node` has applied committed entries itself.
    fn applied_high_watermark(&self, node: NodeId) -> Offset;
    /// What of its log `node` would keep if it lost everything that is not yet synced.
    fn durable(&self, node: NodeId) -> Option<&[Entry]>;
    /// The replay of the whole log of `node`, as the node keeps it.
    fn data(&self, node: NodeId) -> Option<&Table>;
    /// The replay of the log of `node` through its applied high watermark, as the node keeps it.
    fn committed_data(&self, node: NodeId) -> Option<&Table>;

    /// What a node itself believes, where it may believe otherwise than the controller. `None` if the
    /// model has no such beliefs.
    fn belief(&self, node: NodeId) -> Option<Belief> {
        let _ = node;
        None
    }

    /// Whether both nodes have all offsets through `end`, and the same entries there.
    #[inline]
    fn agree_through(&self, one: NodeId, other: NodeId, end: Offset) -> bool {
        let through = |node| self.log(node).get(..end.entries());
        through(one).is_some_and(|entries| through(other) == Some(entries))
    }

    /// A number that changes whenever anything that this view shows changes. `None` if the model
    /// keeps none; then everything is looked at each time.
    fn revision(&self) -> Option<u64> {
        None
    }

    /// A number that changes whenever anything that this view shows *of this node* changes.
    fn node_revision(&self, node: NodeId) -> Option<u64> {
        let _ = node;
        None
    }

    /// The log end offset of `node`.
    #[inline]
    fn log_end_offset(&self, node: NodeId) -> Offset {
        Offset(self.log(node).len() as u32)
    }

    /// The leader, if there is one and it is up.
    #[inline]
    fn live_leader(&self) -> Option<NodeId> {
        self.leader().filter(|&leader| self.alive().contains(leader))
    }

    /// ISR members that are up.
    #[inline]
    fn live_isr(&self) -> NodeSet {
        self.isr().and(self.alive())
    }
}
