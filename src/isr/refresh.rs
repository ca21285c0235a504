//! Membership, then high watermark, then apply, then lease (PROTOCOL.md section 4).

use crate::isr::branch::Branch;
use crate::isr::guards::Guard;
use crate::isr::partition::Partition;
use crate::isr::trace::{IsrEvent, Recorder};
use highwater_invariants::{Event, LeaderEpoch, NodeId, Offset};

impl Partition {
    /// Brings everything that follows from the replicas' logs up to date. Does nothing at all while
    /// the leader is down.
    pub(crate) fn refresh(&mut self, recorder: &mut impl Recorder) {
        if !self.leader_serves() {
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
        self.apply_committed();
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
            if self.is_caught_up(follower) {
                self.last_caught_up[follower.index()] = now;
                if !self.slow.contains(follower) && self.controller.join_isr(follower) {
                    self.reach(Branch::Rejoins);
                    self.has_rejoined = true;
                    self.trace(recorder, || IsrEvent::MemberAdded {
                        node: follower,
                        log_end_offset: end,
                    });
                }
            } else if self.lags(follower) && self.controller.leave_isr(follower) {
                let lag_entries = leader_end.0.saturating_sub(end.0);
                self.reach(Branch::IsrShrinks);
                if !self.has_min_insync() {
                    self.reach(Branch::IsrBelowMinInsync);
                }
                self.trace(recorder, || IsrEvent::MemberRemoved { node: follower, lag_entries });
            }
        }
        self.controller.join_isr(leader);
    }

    /// Whether a follower may join the ISR.
    fn is_caught_up(&self, follower: NodeId) -> bool {
        let leader_end = self.replica(self.controller.leader()).log_end_offset();
        let end = self.replica(follower).log_end_offset();
        if !self.has(Guard::RejoinCaughtUp) {
            return true;
        }
        if self.has(Guard::MatchBeforeJoin) {
            return self.has_the_same_log(follower);
        }
        end >= leader_end
    }

    /// Whether a follower that is not caught up has been so for too long.
    fn lags(&self, follower: NodeId) -> bool {
        let timeout = self.settings.replica_lag_timeout_ticks;
        if !self.has(Guard::LagByFirstMissing) {
            return self.now().since(self.last_caught_up[follower.index()]) >= timeout;
        }
        // No entry can be missed before the network had time to bring it.
        let allowance = self.settings.replication_delay_ticks;
        self.ticks_behind(follower) >= timeout.saturating_add(allowance)
    }

    /// The least log end in the ISR decides the high watermark, which never goes back.
    fn refresh_high_watermark(&mut self, recorder: &mut impl Recorder) {
        let isr = self.controller.isr();
        if self.has(Guard::CommitOnMinInsync) && !self.has_min_insync() {
            return;
        }
        let leader = self.controller.leader();
        let candidate = if self.has(Guard::HwOverIsr) {
            let live = isr.and(self.controller.alive());
            live.iter().map(|node| self.acknowledged_end(node)).min().unwrap_or(Offset::ZERO)
        } else {
            self.replica(leader).log_end_offset()
        };
        let from = self.controller.high_watermark();
        if candidate > from {
            self.controller.advance_high_watermark(candidate);
            self.reach(Branch::HwAdvances);
            if !self.isr_at_refresh.without(isr).is_empty() {
                self.reach(Branch::HwAdvancesByShrinking);
            }
            let log = self.replica(leader).log();
            let last = candidate.entries().checked_sub(1).and_then(|last| log.get(last));
            self.committed_epoch = last.map_or(LeaderEpoch(0), |entry| entry.leader_epoch());
            self.trace(recorder, || IsrEvent::HighWatermarkAdvanced {
                high_watermark: candidate,
                isr,
            });
            recorder.observe(Event::HighWatermarkAdvanced { from }, self);
        }
    }

    /// Through which offset `node` has acknowledged the leader's entries.
    #[inline]
    pub(crate) fn acknowledged_end(&self, node: NodeId) -> Offset {
        if self.has(Guard::CountMatching) {
            self.matching_end(node)
        } else {
            self.replica(node).log_end_offset()
        }
    }

    fn apply_committed(&mut self) {
        let high_watermark = self.controller.high_watermark();
        for node in self.nodes().iter() {
            let end = self.applicable_end(node, high_watermark);
            self.replica_mut(node).apply_through(end);
        }
    }

    /// Up to which offset `node` may apply what is committed.
    #[inline]
    pub(crate) fn applicable_end(&self, node: NodeId, high_watermark: Offset) -> Offset {
        if self.has(Guard::ApplyMatching) {
            self.matching_end(node).min(high_watermark)
        } else {
            high_watermark
        }
    }

    /// Catches up followers that lack what the network had time to bring them.
    #[inline]
    pub(crate) fn retry_catch_up(&mut self, recorder: &mut impl Recorder) {
        if !self.has(Guard::RetryCatchUp) || !self.leader_serves() {
            return;
        }
        let followers = self.peers(self.controller.leader()).and(self.controller.alive());
        for follower in followers.without(self.slow).iter() {
            let had_time = || self.ticks_behind(follower) > self.settings.replication_delay_ticks;
            if !self.has_the_same_log(follower) && had_time() && !self.is_catching_up(follower) {
                self.reach(Branch::CatchUpRetried);
                // Both are up, and the leader serves.
                let _ = self.synchronize(follower, recorder);
            }
        }
    }

    #[inline]
    fn has_the_same_log(&self, follower: NodeId) -> bool {
        let leader_end = self.replica(self.controller.leader()).log_end_offset();
        self.replica(follower).log_end_offset() == leader_end && self.is_prefix_of_leader(follower)
    }

    /// For how long a follower has lacked the first entry that it lacks. A follower that lacks
    /// nothing, but has entries that the leader has not, counts from when it was last caught up.
    fn ticks_behind(&self, follower: NodeId) -> u64 {
        let first_missing = self.matching_end(follower).entries();
        let since = self.appended_at.get(first_missing).copied();
        self.now().since(since.unwrap_or(self.last_caught_up[follower.index()]))
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
    use crate::isr::{GroupConfiguration, Limits, Rules};
    use crate::sim::Tick;
    use highwater_invariants::{Entry, KeyId, LeaderEpoch, NodeId, NodeSet, ValueId};
    use proptest::prelude::*;

    const NODES: usize = 3;

    fn three_nodes(trace: &mut Trace) -> Partition {
        let settings =
            GroupConfiguration::default().check(Rules::default(), Limits::PROTOCOL).unwrap();
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
