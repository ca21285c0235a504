//! Sending, catching up and receiving (PROTOCOL.md section 6).

use crate::isr::branch::Branch;
use crate::isr::guards::Guard;
use crate::isr::partition::{Partition, Result};
use crate::isr::payload::{Content, Payload, SnapshotSlot};
use crate::isr::replica::CatchUpMode;
use crate::isr::trace::{IsrEvent, Recorder, RejectReason};
use crate::sim::{Arrival, Message};
use highwater_invariants::{Entry, Event, LeaderEpoch, NodeId, Offset, Packet};

impl Partition {
    /// Sends one entry to a follower, unless that is marked slow.
    pub(crate) fn send_entry(
        &mut self,
        follower: NodeId,
        offset: Offset,
        entry: Entry,
        recorder: &mut impl Recorder,
    ) {
        if self.slow.contains(follower) {
            self.reach(Branch::ReplicationDelayed);
            self.trace(recorder, || IsrEvent::ReplicationDelayed { follower, offset });
            return;
        }
        let after = self.epoch_before(offset);
        self.send(follower, Content::Append { offset, entry, after }, recorder);
    }

    fn send(&mut self, follower: NodeId, content: Content, recorder: &mut impl Recorder) {
        let leader = self.controller.leader();
        let leader_epoch = self.controller.leader_epoch();
        let payload = Payload { source_leader: leader, leader_epoch, content };
        let snapshots = &self.snapshots;
        let shown = || payload.shown(snapshots);
        let is_on_its_way = self.network.send(leader, follower, payload, shown, recorder);
        if !is_on_its_way {
            self.release(content);
        } else if !self.is_reacting {
            self.sent_by_operations += 1;
        }
    }

    pub(crate) fn release(&mut self, content: Content) {
        if let Content::Snapshot(slot) = content {
            self.snapshots.release(slot);
        }
    }

    /// Brings a follower up to date: by replay of what is retained, else by a snapshot.
    pub(crate) fn synchronize(
        &mut self,
        follower: NodeId,
        recorder: &mut impl Recorder,
    ) -> Result<()> {
        let leader = self.require_leader()?;
        self.require_up(follower)?;
        self.catch_up_started[follower.index()] = Some(self.now());
        let end = self.replica(follower).log_end_offset();
        let is_caught_up = end == self.replica(leader).log_end_offset();
        let is_in_window =
            self.retained.first_offset().is_some_and(|first| end.entries() + 1 >= first.entries());
        let is_replayable =
            !self.has(Guard::MatchBeforeReplay) || self.is_prefix_of_leader(follower);
        if (is_caught_up || is_in_window) && is_replayable {
            self.replay_retained(follower, end, recorder);
        } else {
            self.send_snapshot(follower, recorder);
        }
        Ok(())
    }

    /// Sends every retained entry beyond `end`, in the order of the window: unsorted, and entries
    /// beyond the leader's log end too.
    fn replay_retained(&mut self, follower: NodeId, end: Offset, recorder: &mut impl Recorder) {
        self.replica_mut(follower).catch_up(CatchUpMode::Incremental);
        let has_more = self.retained.entries().iter().any(|&(offset, _)| offset > end);
        self.reach(if has_more {
            Branch::IncrementalCatchUp
        } else {
            Branch::IncrementalCatchUpOfNothing
        });
        for index in 0..self.retained.entries().len() {
            let (offset, entry) = self.retained.entries()[index];
            if offset > end {
                self.send_entry(follower, offset, entry, recorder);
            }
        }
        self.trace(recorder, || IsrEvent::IncrementalCatchupStarted { follower, from_offset: end });
    }

    /// A snapshot goes to a slow follower too.
    fn send_snapshot(&mut self, follower: NodeId, recorder: &mut impl Recorder) {
        self.replica_mut(follower).catch_up(CatchUpMode::Full);
        self.reach(Branch::FullCatchUp);
        if self.slow.contains(follower) {
            self.reach(Branch::SnapshotToSlowNode);
        }
        let high_watermark = self.controller.high_watermark();
        self.trace(recorder, || IsrEvent::FullCatchupStarted { follower, high_watermark });
        let leader = &self.replicas[self.controller.leader().index()];
        let (slot, snapshot) = self.snapshots.take_slot();
        snapshot.log.clear();
        snapshot.log.extend_from_slice(leader.log());
        snapshot.data.clone_from(leader.data());
        snapshot.high_watermark = high_watermark;
        self.send(follower, Content::Snapshot(slot), recorder);
    }

    pub(crate) fn deliver_what_is_due(&mut self, recorder: &mut impl Recorder) {
        loop {
            let snapshots = &self.snapshots;
            match self.network.arrive(|payload| payload.shown(snapshots), recorder) {
                None => return,
                Some(Arrival::Dropped(message)) => self.release(message.payload.content),
                Some(Arrival::Delivered(message)) => {
                    self.receive(message, recorder);
                    self.release(message.payload.content);
                }
            }
        }
    }

    /// A message is there. It is ignored if its receiver or its sender is down.
    pub(crate) fn receive(&mut self, message: Message<Payload>, recorder: &mut impl Recorder) {
        let Message { source, destination: receiver, payload, .. } = message;
        let is_from_fenced = self.leader_is_fenced && source == self.controller.leader();
        if !self.controller.is_up(receiver) || !self.controller.is_up(source) || is_from_fenced {
            self.reach(Branch::DeliveredToDeadNode);
            return;
        }
        let Payload { source_leader, leader_epoch, content } = payload;
        let packet = Packet { source, receiver, source_leader, leader_epoch };
        recorder.observe(Event::PacketArrived(packet), self);
        if let Some(reason) = self.reason_to_reject(packet) {
            self.reach(match reason {
                RejectReason::StaleLeaderEpoch => Branch::StaleEpochRejected,
                RejectReason::NonCurrentLeader => Branch::NonCurrentLeaderRejected,
            });
            self.trace(recorder, || IsrEvent::AppendRejected {
                node: receiver,
                reason,
                leader_epoch,
            });
        } else if self.take_in(receiver, content, recorder) {
            self.refresh(recorder);
        }
        recorder.observe(Event::PacketHandled(packet), self);
    }

    /// The packet's leader epoch is authority: it must be the current one, and so must the leader.
    fn reason_to_reject(&self, packet: Packet) -> Option<RejectReason> {
        let leader = self.controller.leader();
        let is_stale = packet.leader_epoch != self.controller.leader_epoch();
        if self.has(Guard::EpochCheck) && is_stale {
            Some(RejectReason::StaleLeaderEpoch)
        } else if packet.source != leader || packet.source_leader != leader {
            Some(RejectReason::NonCurrentLeader)
        } else {
            None
        }
    }

    /// Applies an authorized packet. False if it did not fit, and catching up was started instead.
    fn take_in(
        &mut self,
        receiver: NodeId,
        content: Content,
        recorder: &mut impl Recorder,
    ) -> bool {
        match content {
            Content::Snapshot(slot) => {
                self.take_in_snapshot(receiver, slot);
                true
            }
            Content::Append { offset, entry, after } => {
                self.take_in_entry(receiver, offset, entry, after, recorder)
            }
        }
    }

    fn take_in_snapshot(&mut self, receiver: NodeId, slot: SnapshotSlot) {
        let snapshot = self.snapshots.get(slot);
        let replica = &self.replicas[receiver.index()];
        let holds_it = replica.log().len() >= snapshot.log.len();
        let never_back = self.has(Guard::SnapshotNeverBack);
        if never_back && holds_it && self.is_prefix_of_leader(receiver) {
            return;
        }
        self.branches.reach(Branch::SnapshotInstalled);
        if snapshot.log.len() < replica.log().len() {
            self.branches.reach(Branch::SnapshotShortensLog);
        }
        let applied = if never_back {
            snapshot.high_watermark.max(replica.applied_high_watermark())
        } else {
            snapshot.high_watermark
        };
        let cut_durable = self.has(Guard::CutDurableImage);
        let replica = &mut self.replicas[receiver.index()];
        replica.install(&snapshot.log, &snapshot.data, applied);
        if cut_durable {
            replica.cut_durable_image();
        }
    }

    fn take_in_entry(
        &mut self,
        receiver: NodeId,
        offset: Offset,
        entry: Entry,
        after: LeaderEpoch,
        recorder: &mut impl Recorder,
    ) -> bool {
        let log = self.replica(receiver).log();
        let next = self.replica(receiver).log_end_offset().next();
        let last_epoch = log.last().map_or(LeaderEpoch(0), |last| last.leader_epoch());
        let is_next = offset == next || !self.has(Guard::NextOffset);
        if is_next && (!self.has(Guard::MatchBeforeAppend) || last_epoch == after) {
            self.replica_mut(receiver).append(entry, false);
            let leader_epoch = entry.leader_epoch();
            self.trace(recorder, || IsrEvent::EntryAppended {
                node: receiver,
                leader_epoch,
                offset,
            });
            return true;
        }
        self.reach(if offset > next { Branch::GapDetected } else { Branch::DuplicateDetected });
        if !(self.has(Guard::OneCatchUp) && self.is_catching_up(receiver)) {
            // Sender and receiver are up, and the sender leads: it cannot fail.
            let _ = self.synchronize(receiver, recorder);
        }
        false
    }

    /// Whether messages of the receiver's last catch-up may still be in flight.
    pub(crate) fn is_catching_up(&self, receiver: NodeId) -> bool {
        let started = self.catch_up_started[receiver.index()];
        started.is_some_and(|started| {
            self.now().since(started) <= self.settings.replication_delay_ticks
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isr::error::IsrError;
    use crate::isr::trace::{Trace, TraceEvent};
    use crate::isr::{GroupConfiguration, Limits, Rules};
    use crate::sim::{MessageId, Untraced};
    use highwater_invariants::{KeyId, LeaderEpoch, Log, Table, ValueId};

    const NODE_1: NodeId = NodeId::new(0);
    const NODE_2: NodeId = NodeId::new(1);
    const NODE_3: NodeId = NodeId::new(2);

    /// Three nodes; the first leads.
    fn three_nodes(recorder: &mut impl Recorder) -> Partition {
        let settings =
            GroupConfiguration::default().check(Rules::default(), Limits::PROTOCOL).unwrap();
        Partition::new(settings, recorder)
    }

    fn entry(value: usize) -> Entry {
        Entry::new(LeaderEpoch(1), KeyId(0), ValueId::from_index(value).unwrap())
    }

    /// The first entry of a log, on its way to node 3.
    fn first_append(source: NodeId, source_leader: NodeId, leader_epoch: u32) -> Message<Payload> {
        let content = Content::Append { offset: Offset(1), entry: entry(0), after: LeaderEpoch(0) };
        let leader_epoch = LeaderEpoch(leader_epoch);
        let payload = Payload { source_leader, leader_epoch, content };
        Message { id: MessageId(0), source, destination: NODE_3, payload }
    }

    /// What the packet gave rise to; and whether node 3 has the entry.
    fn received(message: Message<Payload>) -> (Vec<TraceEvent>, bool) {
        let mut trace = Trace::default();
        let mut partition = three_nodes(&mut trace);
        let before = trace.records().len();
        partition.receive(message, &mut trace);
        let events = trace.records()[before..].iter().map(|record| record.event.clone());
        (events.collect(), partition.replica(NODE_3).log() == [entry(0)])
    }

    fn rejected(reason: RejectReason, leader_epoch: u32) -> (Vec<TraceEvent>, bool) {
        let leader_epoch = LeaderEpoch(leader_epoch);
        let event = IsrEvent::AppendRejected { node: NODE_3, reason, leader_epoch };
        (vec![TraceEvent::Isr(event)], false)
    }

    /// Only the leader sends, in its own name and in the current epoch, and an election changes
    /// leader and epoch together; so a packet like these is made up.
    #[test]
    fn a_packet_of_the_current_epoch_that_is_not_from_the_current_leader_is_rejected() {
        let non_current_leader = rejected(RejectReason::NonCurrentLeader, 1);
        assert_eq!(received(first_append(NODE_2, NODE_2, 1)), non_current_leader);
        assert_eq!(received(first_append(NODE_2, NODE_1, 1)), non_current_leader, "the sender");
        assert_eq!(received(first_append(NODE_1, NODE_2, 1)), non_current_leader, "its name");
        let (_, is_appended) = received(first_append(NODE_1, NODE_1, 1));
        assert!(is_appended);
    }

    #[test]
    fn the_epoch_is_looked_at_before_the_leader() {
        for (source, source_leader) in [(NODE_2, NODE_2), (NODE_1, NODE_1)] {
            for epoch in [0, 2] {
                let stale_epoch = rejected(RejectReason::StaleLeaderEpoch, epoch);
                assert_eq!(received(first_append(source, source_leader, epoch)), stale_epoch);
            }
        }
    }

    /// No operation synchronizes a node that is down, so the second check is never the first to
    /// fail.
    #[test]
    fn synchronizing_checks_the_leader_before_the_follower() {
        let mut partition = three_nodes(&mut Untraced);
        partition.controller.mark_down(NODE_3);
        let result = partition.synchronize(NODE_3, &mut Untraced);
        assert_eq!(result, Err(IsrError::NodeCrashed(NODE_3)));
        partition.controller.mark_down(NODE_1);
        let result = partition.synchronize(NODE_3, &mut Untraced);
        assert_eq!(result, Err(IsrError::NodeCrashed(NODE_1)));
    }

    /// The refresh that follows applies the rest at once, so this shows before it only.
    #[test]
    fn a_snapshots_committed_data_is_rebuilt_through_its_own_high_watermark_not_the_current_one() {
        let mut partition = three_nodes(&mut Untraced);
        let log = Log::from_iter([entry(0), entry(1), entry(2)]);
        let (slot, snapshot) = partition.snapshots.take_slot();
        snapshot.log.clone_from(&log);
        snapshot.data = Table::replay(&log);
        snapshot.high_watermark = Offset(1);
        partition.controller.advance_high_watermark(Offset(2));

        assert!(partition.take_in(NODE_3, Content::Snapshot(slot), &mut Untraced));
        let replica = partition.replica(NODE_3);
        assert_eq!(replica.log(), log.as_slice());
        assert_eq!(replica.data(), &Table::replay(&log));
        assert_eq!(replica.applied_high_watermark(), Offset(1));
        assert_eq!(replica.committed_data(), &Table::replay(&log[..1]));

        partition.refresh(&mut Untraced);
        let replica = partition.replica(NODE_3);
        assert_eq!(replica.applied_high_watermark(), Offset(2));
        assert_eq!(replica.committed_data(), &Table::replay(&log[..2]));
    }
}
