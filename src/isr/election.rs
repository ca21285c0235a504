//! The controller elects a leader (PROTOCOL.md section 7).

use crate::isr::branch::Branch;
use crate::isr::error::IsrError;
use crate::isr::guards::Guard;
use crate::isr::partition::{Partition, Result};
use crate::isr::trace::{IsrEvent, Recorder};
use highwater_invariants::{Event, MAX_NODES, NodeId};

impl Partition {
    /// Makes `node`, a live ISR member, the leader of a new epoch.
    pub fn elect(&mut self, node: NodeId, recorder: &mut impl Recorder) -> Result<()> {
        self.require_up(node)?;
        if self.has(Guard::ElectFromIsr) && !self.controller.isr().contains(node) {
            return Err(IsrError::NotInIsr(node));
        }
        if node == self.controller.leader() {
            return Err(IsrError::AlreadyLeader(node));
        }
        self.begin_epoch(node, recorder)
    }

    /// The controller replaces a leader that lost entries in a crash and is back: by a live ISR
    /// member, else by any live node that has all that is committed. If there is none, every copy
    /// of a committed entry may be lost, and the partition refuses to serve.
    #[inline]
    pub(crate) fn replace_fenced_leader(&mut self, recorder: &mut impl Recorder) {
        if !self.leader_is_fenced
            || !self.controller.leader_is_up()
            || !self.has(Guard::ReplaceFencedLeader)
        {
            return;
        }
        let alive = self.controller.alive();
        let members = self.controller.isr().and(alive);
        let fit = |node: &NodeId| self.has_all_that_is_committed(*node);
        if let Some(node) = members.iter().chain(alive.iter()).find(fit) {
            self.reach(Branch::LeaderReplaced);
            // All that could be refused has been looked at.
            let _ = self.begin_epoch(node, recorder);
        }
    }

    /// A new epoch under `node`. Its log is cut to the high watermark; nothing else of it changes,
    /// and there is no refresh.
    fn begin_epoch(&mut self, node: NodeId, recorder: &mut impl Recorder) -> Result<()> {
        let old_leader = self.controller.leader();
        self.controller.elect(node);
        let high_watermark = self.controller.high_watermark();
        self.reach(if self.replica(node).log_end_offset() > high_watermark {
            Branch::ElectionTruncates
        } else {
            Branch::ElectionKeepsLog
        });
        if self.pending_writes() > 0 {
            self.reach(Branch::ElectionWhileWriteWaits);
        }
        self.replica_mut(node).truncate(high_watermark);
        self.have_led.insert(old_leader);
        self.controller.leave_isr(old_leader);
        self.prepare_leader(node);
        self.renew_lease();
        self.trace(recorder, || IsrEvent::ControllerElected {
            old_leader,
            new_leader: node,
            controller_epoch: self.controller.controller_epoch(),
            leader_epoch: self.controller.leader_epoch(),
            high_watermark,
        });
        recorder.observe(Event::Elected { node }, self);
        for follower in self.peers(node).and(self.controller.alive()).iter() {
            self.synchronize(follower, recorder)?;
        }
        Ok(())
    }

    /// What a new leader needs beyond the published protocol.
    fn prepare_leader(&mut self, node: NodeId) {
        self.leader_is_fenced = false;
        self.catch_up_started = [None; MAX_NODES];
        if self.has(Guard::CutDurableImage) {
            self.replica_mut(node).cut_durable_image();
        }
        let log = self.replicas[node.index()].log();
        if self.guards.has(Guard::RetainLeadersLog) {
            self.retained.rebuild(log, self.settings.log_retention_entries);
        }
        if self.guards.has(Guard::LagByFirstMissing) || self.guards.has(Guard::RetryCatchUp) {
            self.appended_at.clear();
            self.appended_at.resize(log.len(), self.network.now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isr::{GroupConfiguration, Limits, Rules};
    use crate::sim::Untraced;
    use highwater_invariants::{Entry, KeyId, LeaderEpoch, Offset, Table, ValueId};

    /// Every refresh applies what is committed, and no operation advances the high watermark or a
    /// follower's log without one; so a candidate that has yet to apply something, which would
    /// show if the election did it, is made up.
    #[test]
    fn an_election_leaves_the_applied_high_watermark_and_committed_data_of_the_new_leader_alone() {
        let settings =
            GroupConfiguration::default().check(Rules::default(), Limits::PROTOCOL).unwrap();
        let mut partition = Partition::new(settings, &mut Untraced);
        let node = NodeId::new(1);
        let [first, second] = [0, 1].map(|index| {
            let value = ValueId::from_index(index).unwrap();
            Entry::new(LeaderEpoch(1), KeyId(0), value)
        });
        partition.replica_mut(node).append(first, false);
        partition.replica_mut(node).append(second, false);
        partition.controller.advance_high_watermark(Offset(1));

        partition.elect(node, &mut Untraced).unwrap();
        let replica = partition.replica(node);
        assert_eq!(replica.log(), [first]);
        assert_eq!(replica.data(), &Table::replay(&[first]));
        assert_eq!(replica.applied_high_watermark(), Offset::ZERO);
        assert_eq!(replica.committed_data(), &Table::default());
    }
}
