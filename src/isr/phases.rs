//! The second phase of a run, after its last operation: does the partition come to rest, and does
//! service come back once faults stop?

use crate::isr::partition::Partition;
use crate::isr::pending::{Patience, Submission};
use crate::isr::settings::Settings;
use crate::isr::trace::Recorder;
use highwater_invariants::{AckLevel, Event, MAX_NODES, NodeId, Settled, View};

impl Partition {
    /// Leaves the partition to itself until nothing is in flight, within the bound of
    /// [`crate::isr::Limits`].
    pub fn settle(&mut self, recorder: &mut impl Recorder) {
        if let Ok(ticks) = self.run_until_idle(recorder) {
            recorder.observe(Event::Settled(Settled::Idle { ticks }), self);
        }
    }

    /// Stops all faults and writes now and then until everything is well again, within
    /// [`Settings::recovery_ticks_max`].
    pub fn recover(&mut self, recorder: &mut impl Recorder) {
        recorder.observe(Event::RecoveryStarted, self);
        self.stop_faults(recorder);
        let start = self.now();
        let mut write_accepted = false;
        let pause = 2 * self.settings.replication_delay_ticks + 2;
        let mut next_write = start;
        while !self.halted && self.now().since(start) < self.settings.recovery_ticks_max() {
            if self.now() >= next_write {
                write_accepted |= self.try_to_write(recorder);
                next_write = self.now().after(pause);
            }
            if write_accepted && self.is_whole() {
                break;
            }
            self.tick(recorder);
        }
        if !self.halted {
            let ticks = self.now().since(start);
            recorder.observe(Event::RecoveryEnded { write_accepted, ticks }, self);
        }
    }

    /// Restarts every node, the leader first, heals every link, and lets no follower be slow.
    /// What is refused (a follower cannot be brought up to date while the leader is down, say) is
    /// part of what recovery has to live with.
    fn stop_faults(&mut self, recorder: &mut impl Recorder) {
        let leader = self.controller.leader();
        let down = self.nodes().without(self.controller.alive());
        let leader_first = [leader].into_iter().filter(|&node| down.contains(node));
        let others = down.iter().filter(|&node| node != leader);
        for node in leader_first.chain(others) {
            let _ = self.restart(node, recorder);
        }
        for node in self.nodes().iter() {
            let is_cut = self.peers(node).iter().any(|peer| self.is_cut(node, peer));
            if is_cut {
                let _ = self.heal(node, recorder);
            }
        }
        for node in self.slow.iter().collect::<arrayvec::ArrayVec<NodeId, MAX_NODES>>() {
            let _ = self.set_replica_slow(node, false, recorder);
        }
        self.check_message_budget(recorder);
    }

    /// Writes, and gives the answer time. True if the write was accepted.
    fn try_to_write(&mut self, recorder: &mut impl Recorder) -> bool {
        let (key, value) = (Settings::PROBE_KEY, Settings::PROBE_VALUE);
        let patience = Patience { looks: self.settings.recovery_ticks_max(), keep_answer: true };
        match self.submit(key, value, AckLevel::AllIsr, patience, recorder) {
            Ok(Submission::Answered(answer)) => answer.accepted,
            Ok(Submission::Pending { write, .. }) => loop {
                self.tick(recorder);
                if let Some(answer) = self.take_answer(write) {
                    return answer.accepted;
                }
                if self.halted {
                    return false;
                }
            },
            Err(_) => false,
        }
    }

    fn is_whole(&self) -> bool {
        let leader = self.controller.leader();
        self.controller.isr() == self.nodes()
            && self.controller.alive() == self.nodes()
            && self.nodes().iter().all(|node| self.log(node) == self.log(leader))
    }
}
