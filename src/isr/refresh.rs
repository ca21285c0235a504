//! Membership, then high watermark, then apply, then lease (PROTOCOL.md section 4).

use crate::isr::branch::Branch;
use crate::isr::partition::Partition;
use crate::isr::trace::{IsrEvent, Recorder};
use highwater_invariants::{Event, Offset};

impl Partition {
    /// Brings everything that follows from the replicas' logs up to date. Does nothing at all while
    /// the leader is down.
    pub(crate) fn refresh(&mut self, recorder: &mut impl Recorder) {
        if !self.controller.leader_is_up() {
            return;
        }
        self.refresh_isr(recorder);
        self.refresh_high_watermark(recorder);
        self.isr_at_refresh = self.controller.isr();
        let high_watermark = self.controller.high_watermark();
        for replica in &mut self.replicas {
            replica.apply_through(high_watermark);
        }
        if self.has_min_insync() {
            self.renew_lease();
        }
    }

    /// Lag decides who is in the ISR; `min.insync.replicas` never stops it from shrinking.
    fn refresh_isr(&mut self, recorder: &mut impl Recorder) {
        let leader = self.controller.leader();
        let leader_end = self.replica(leader).log_end_offset();
        let now = self.now();
        for follower in self.peers(leader).iter() {
            if !self.controller.is_up(follower) {
                self.controller.leave_isr(follower);
                continue;
            }
            let end = self.replica(follower).log_end_offset();
            let last_caught_up = &mut self.last_caught_up[follower.index()];
            if end >= leader_end {
                *last_caught_up = now;
                if !self.slow.contains(follower) && self.controller.join_isr(follower) {
                    self.reach(Branch::Rejoins);
                    self.has_rejoined = true;
                    self.trace(recorder, || IsrEvent::MemberAdded {
                        node: follower,
                        log_end_offset: end,
                    });
                }
            } else if now.since(*last_caught_up) >= self.settings.replica_lag_timeout_ticks
                && self.controller.leave_isr(follower)
            {
                let lag_entries = leader_end.0 - end.0;
                self.reach(Branch::IsrShrinks);
                if !self.has_min_insync() {
                    self.reach(Branch::IsrBelowMinInsync);
                }
                self.trace(recorder, || IsrEvent::MemberRemoved { node: follower, lag_entries });
            }
        }
        self.controller.join_isr(leader);
    }

    /// The least log end in the ISR decides the high watermark, which never goes back.
    fn refresh_high_watermark(&mut self, recorder: &mut impl Recorder) {
        let isr = self.controller.isr();
        let live = isr.and(self.controller.alive());
        let candidate = live.iter().map(|node| self.replica(node).log_end_offset()).min();
        let candidate = candidate.unwrap_or(Offset::ZERO);
        let from = self.controller.high_watermark();
        if candidate > from {
            self.controller.advance_high_watermark(candidate);
            self.reach(Branch::HwAdvances);
            if !self.isr_at_refresh.without(isr).is_empty() {
                self.reach(Branch::HwAdvancesByShrinking);
            }
            self.trace(recorder, || IsrEvent::HighWatermarkAdvanced {
                high_watermark: candidate,
                isr,
            });
            recorder.observe(Event::HighWatermarkAdvanced { from }, self);
        }
    }

    #[inline]
    pub(crate) fn has_min_insync(&self) -> bool {
        self.controller.isr().len() >= self.settings.min_insync_replicas
    }

    pub(crate) fn renew_lease(&mut self) {
        let now = self.now().0 as i64;
        self.lease_expiry = now.saturating_add(self.settings.lease_duration_ticks);
    }

    pub(crate) fn lease_is_valid(&self) -> bool {
        self.now().0 as i64 <= self.lease_expiry
    }
}
