//! How far a replica's log agrees with the leader's.
//!
//! Two logs that have an entry of the same epoch at the same offset agree up to there: one epoch
//! has one leader, and an entry is appended only behind the one that it follows (log matching, as in
//! Raft). So epochs are enough, as they are between real nodes.

use crate::isr::partition::Partition;
use highwater_invariants::{LeaderEpoch, NodeId, Offset};

impl Partition {
    /// The last offset up to which `node` has what the leader has.
    #[inline]
    pub(crate) fn matching_end(&self, node: NodeId) -> Offset {
        let leader = self.replica(self.controller.leader()).log();
        let log = self.replica(node).log();
        let mut end = log.len().min(leader.len());
        while end > 0 && log[end - 1].leader_epoch() != leader[end - 1].leader_epoch() {
            end -= 1;
        }
        Offset(end as u32)
    }

    /// Whether the log of `node` is a prefix of the leader's.
    #[inline]
    pub(crate) fn is_prefix_of_leader(&self, node: NodeId) -> bool {
        self.matching_end(node) == self.replica(node).log_end_offset()
    }

    /// The epoch of the leader's entry before `offset`; 0 before the first.
    #[inline]
    pub(crate) fn epoch_before(&self, offset: Offset) -> LeaderEpoch {
        let leader = self.replica(self.controller.leader()).log();
        let before = offset.entries().checked_sub(2).and_then(|index| leader.get(index));
        before.map_or(LeaderEpoch(0), |entry| entry.leader_epoch())
    }

    /// Whether `node` has everything that is committed.
    pub(crate) fn has_all_that_is_committed(&self, node: NodeId) -> bool {
        let high_watermark = self.controller.high_watermark();
        let last = high_watermark.entries().checked_sub(1);
        last.is_none_or(|last| {
            let entry = self.replica(node).log().get(last);
            entry.is_some_and(|entry| entry.leader_epoch() == self.committed_epoch)
        })
    }
}
