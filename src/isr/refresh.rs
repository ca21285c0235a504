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
        // What follows depends on nothing else, and changes nothing the second time.
        let before = Some((self.now(), self.current_revision(), self.slow));
        if self.refreshed == before {
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
        self.refreshed = Some((self.now(), self.current_revision(), self.slow));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isr::replica::Replica;
    use crate::isr::trace::Trace;
    use crate::isr::{GroupConfiguration, Limits};
    use crate::sim::Tick;
    use highwater_invariants::{Entry, KeyId, LeaderEpoch, NodeId, NodeSet, ValueId};
    use proptest::prelude::*;

    const NODES: usize = 3;

    fn three_nodes(trace: &mut Trace) -> Partition {
        let settings = GroupConfiguration::default().check(Limits::PROTOCOL).unwrap();
        Partition::new(settings, trace)
    }

    /// No sequence of operations leaves a dead node in the ISR, since a crash takes it out by
    /// itself; that refreshing does too, in silence, shows in a made-up state only.
    #[test]
    fn a_dead_follower_that_is_still_in_the_isr_is_dropped_without_an_event() {
        let mut trace = Trace::default();
        let mut partition = three_nodes(&mut trace);
        partition.controller.mark_down(NodeId::new(2));
        assert_eq!(partition.controller.isr(), NodeSet::first(3));
        let events = trace.records().len();
        partition.refresh(&mut trace);
        assert_eq!(partition.controller.isr(), NodeSet::first(2));
        assert_eq!(trace.records().len(), events);
    }

    /// A node's part of a made-up state.
    #[derive(Clone, Copy, Debug)]
    struct MadeUp {
        entries: u32,
        is_up: bool,
        is_slow: bool,
        is_in_isr: bool,
        caught_up_at: u64,
    }

    fn made_up() -> impl Strategy<Value = MadeUp> {
        (0..4_u32, any::<bool>(), any::<bool>(), any::<bool>(), 0..6_u64).prop_map(
            |(entries, is_up, is_slow, is_in_isr, caught_up_at)| MadeUp {
                entries,
                is_up,
                is_slow,
                is_in_isr,
                caught_up_at,
            },
        )
    }

    /// A state at tick 5 that need not be one that operations lead to.
    fn in_state(nodes: [MadeUp; NODES], trace: &mut Trace) -> Partition {
        let mut partition = three_nodes(trace);
        for _ in 0..5 {
            partition.network.advance_clock();
        }
        for (node, made_up) in (0..).map(NodeId::new).zip(nodes) {
            for _ in 0..made_up.entries {
                let value = ValueId::from_index(0).unwrap();
                let entry = Entry::new(LeaderEpoch(1), KeyId(0), value);
                partition.replica_mut(node).append(entry, false);
            }
            if !made_up.is_up {
                partition.controller.mark_down(node);
            }
            if made_up.is_slow {
                partition.slow.insert(node);
            }
            if !made_up.is_in_isr {
                partition.controller.leave_isr(node);
            }
            partition.last_caught_up[node.index()] = Tick(made_up.caught_up_at);
        }
        partition
    }

    /// All that a refresh can change.
    fn what_follows(partition: &Partition) -> impl PartialEq + std::fmt::Debug + use<> {
        (
            partition.controller.isr(),
            partition.controller.high_watermark(),
            partition.last_caught_up,
            partition.lease_expiry,
            partition.replicas.iter().map(Replica::revision).collect::<Vec<_>>(),
            partition.controller.revision(),
        )
    }

    proptest! {
        /// So the second refresh of the ALL_ISR wait (PROTOCOL.md section 5) cannot be told from
        /// its absence: nothing happens between the two.
        #[test]
        fn a_second_refresh_changes_nothing_and_after_the_first_all_that_the_isr_has_is_committed(
            nodes in prop::array::uniform3(made_up()),
        ) {
            let mut trace = Trace::default();
            let mut partition = in_state(nodes, &mut trace);
            partition.refresh(&mut trace);
            let (once, events) = (what_follows(&partition), trace.records().len());
            if partition.controller.leader_is_up() {
                let isr = partition.controller.isr();
                let least = isr.iter().map(|node| partition.replica(node).log_end_offset()).min();
                prop_assert!(Some(partition.controller.high_watermark()) >= least);
            }
            partition.refresh(&mut trace);
            prop_assert_eq!(what_follows(&partition), once);
            prop_assert_eq!(trace.records().len(), events);
        }
    }
}
