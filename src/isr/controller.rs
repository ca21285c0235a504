//! What the controller decides: who leads, in which epoch, who is in sync, what is committed.
//!
//! Every change bumps the revision, so that an observer can tell cheaply whether to look again.

use highwater_invariants::{LeaderEpoch, NodeId, NodeSet, Offset};

/// The controller's state, and which nodes are up.
#[derive(Clone, Debug)]
pub struct Controller {
    leader: NodeId,
    leader_epoch: LeaderEpoch,
    controller_epoch: u32,
    isr: NodeSet,
    high_watermark: Offset,
    alive: NodeSet,
    revision: u64,
}

impl Controller {
    #[inline]
    pub fn new(nodes: NodeSet, leader: NodeId) -> Self {
        Self {
            leader,
            leader_epoch: LeaderEpoch(1),
            controller_epoch: 1,
            isr: nodes,
            high_watermark: Offset::ZERO,
            alive: nodes,
            revision: 0,
        }
    }

    #[inline]
    pub fn leader(&self) -> NodeId {
        self.leader
    }

    #[inline]
    pub fn leader_is_up(&self) -> bool {
        self.alive.contains(self.leader)
    }

    #[inline]
    pub fn leader_epoch(&self) -> LeaderEpoch {
        self.leader_epoch
    }

    #[inline]
    pub fn controller_epoch(&self) -> u32 {
        self.controller_epoch
    }

    #[inline]
    pub fn isr(&self) -> NodeSet {
        self.isr
    }

    #[inline]
    pub fn high_watermark(&self) -> Offset {
        self.high_watermark
    }

    #[inline]
    pub fn alive(&self) -> NodeSet {
        self.alive
    }

    #[inline]
    pub fn is_up(&self, node: NodeId) -> bool {
        self.alive.contains(node)
    }

    #[inline]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// True if `node` was out.
    #[inline]
    pub fn join_isr(&mut self, node: NodeId) -> bool {
        let joined = self.isr.insert(node);
        self.revision += u64::from(joined);
        joined
    }

    /// True if `node` was in.
    #[inline]
    pub fn leave_isr(&mut self, node: NodeId) -> bool {
        let left = self.isr.remove(node);
        self.revision += u64::from(left);
        left
    }

    #[inline]
    pub fn advance_high_watermark(&mut self, to: Offset) {
        self.revision += 1;
        self.high_watermark = to;
    }

    #[inline]
    pub fn elect(&mut self, node: NodeId) {
        self.revision += 1;
        self.leader = node;
        self.leader_epoch.0 += 1;
        self.controller_epoch += 1;
    }

    #[inline]
    pub fn mark_down(&mut self, node: NodeId) {
        self.revision += 1;
        self.alive.remove(node);
    }

    #[inline]
    pub fn mark_up(&mut self, node: NodeId) {
        self.revision += 1;
        self.alive.insert(node);
    }
}
