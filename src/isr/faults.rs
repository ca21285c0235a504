//! Slowness, power, crashes and partitions (PROTOCOL.md section 8).

use crate::isr::branch::Branch;
use crate::isr::error::IsrError;
use crate::isr::guards::Guard;
use crate::isr::partition::{Partition, Result};
use crate::isr::trace::{IsrEvent, Recorder};
use highwater_invariants::{Event, NodeId};

impl Partition {
    /// Marks a follower slow (entries are not sent to it, and it cannot join the ISR), or takes the
    /// mark away and brings it up to date.
    pub fn set_replica_slow(
        &mut self,
        node: NodeId,
        slow: bool,
        recorder: &mut impl Recorder,
    ) -> Result<()> {
        if node == self.controller.leader() {
            return Err(IsrError::LeaderCannotBeSlow);
        }
        self.require_up(node)?;
        if slow {
            self.slow.insert(node);
        } else {
            self.slow.remove(node);
            self.synchronize(node, recorder)?;
        }
        self.trace(recorder, || IsrEvent::ReplicaSpeedChanged { node, slow });
        Ok(())
    }

    /// Makes the present log of `node` durable.
    pub fn fsync(&mut self, node: NodeId, recorder: &mut impl Recorder) -> Result<()> {
        self.require_up(node)?;
        self.replica_mut(node).fsync();
        let offset = self.replica(node).durable_offset();
        self.trace(recorder, || IsrEvent::NodeFsynced { node, offset });
        Ok(())
    }

    /// Takes `node` down; with `lose_unfsynced` its log goes back to the durable image.
    pub fn crash(
        &mut self,
        node: NodeId,
        lose_unfsynced: bool,
        recorder: &mut impl Recorder,
    ) -> Result<()> {
        self.require_up(node)?;
        let loses = lose_unfsynced
            && self.replica(node).durable_offset() < self.replica(node).log_end_offset();
        self.note_crash(node, loses);
        if lose_unfsynced {
            if loses && node == self.controller.leader() && self.has(Guard::FenceLossyLeader) {
                self.leader_is_fenced = true;
                self.reach(Branch::LeaderFenced);
            }
            let high_watermark = self.controller.high_watermark();
            self.replica_mut(node).restore_durable_image();
            let end = self.applicable_end(node, high_watermark);
            self.replica_mut(node).rebuild_committed(end);
            let restored_offset = self.replica(node).log_end_offset();
            self.trace(recorder, || IsrEvent::FsyncLoss { node, restored_offset });
        }
        self.controller.mark_down(node);
        self.controller.leave_isr(node);
        self.partition_from_all(node, recorder);
        self.refresh(recorder);
        let crashed = Event::Crashed { node, lost_unfsynced: lose_unfsynced };
        self.trace(recorder, || IsrEvent::NodeCrashed { node, lost_unfsynced: lose_unfsynced });
        recorder.observe(crashed, self);
        Ok(())
    }

    /// Brings a node that is down up again. If it cannot be brought up to date it stays up all the
    /// same, and that is the error.
    pub fn restart(&mut self, node: NodeId, recorder: &mut impl Recorder) -> Result<()> {
        if self.controller.is_up(node) {
            return Err(IsrError::AlreadyRunning(node));
        }
        self.controller.mark_up(node);
        self.note_return(node);
        self.heal_with_all(node, recorder);
        self.trace(recorder, || IsrEvent::NodeRestarted { node });
        if self.leader_is_fenced {
            // The controller catches up whoever is not the leader then.
            self.replace_fenced_leader(recorder);
            return self.require_leader().map(|_| ());
        }
        self.synchronize_unless_leader(node, recorder)
    }

    /// Cuts `node` off from every peer.
    pub fn isolate(&mut self, node: NodeId, recorder: &mut impl Recorder) -> Result<()> {
        self.require_up(node)?;
        self.partition_from_all(node, recorder);
        self.controller.leave_isr(node);
        self.refresh(recorder);
        self.trace(recorder, || IsrEvent::NodeIsolated { node });
        Ok(())
    }

    /// Heals all links of `node`, to isolated and dead peers too.
    pub fn heal(&mut self, node: NodeId, recorder: &mut impl Recorder) -> Result<()> {
        self.require_up(node)?;
        self.note_return(node);
        self.heal_with_all(node, recorder);
        self.trace(recorder, || IsrEvent::NodeHealed { node });
        self.synchronize_unless_leader(node, recorder)
    }

    fn note_crash(&mut self, node: NodeId, loses: bool) {
        let is_leader = node == self.controller.leader();
        self.has_lost |= loses;
        if is_leader {
            self.reach(Branch::LeaderCrashes);
        }
        match (is_leader, loses) {
            (true, true) => self.reach(Branch::LeaderCrashesLossy),
            (false, true) => self.reach(Branch::FollowerCrashesLossy),
            _ => {}
        }
        if self.pending_writes() > 0 {
            self.reach(Branch::CrashWhileWriteWaits);
        }
    }

    fn note_return(&mut self, node: NodeId) {
        if self.have_led.contains(node) && node != self.controller.leader() {
            self.reach(Branch::DeposedLeaderReturns);
        }
    }

    fn partition_from_all(&mut self, node: NodeId, recorder: &mut impl Recorder) {
        for peer in self.peers(node).iter() {
            self.network.partition(node, peer, recorder);
        }
    }

    fn heal_with_all(&mut self, node: NodeId, recorder: &mut impl Recorder) {
        for peer in self.peers(node).iter() {
            self.network.heal(node, peer, recorder);
        }
    }

    fn synchronize_unless_leader(
        &mut self,
        node: NodeId,
        recorder: &mut impl Recorder,
    ) -> Result<()> {
        if node == self.controller.leader() { Ok(()) } else { self.synchronize(node, recorder) }
    }
}
