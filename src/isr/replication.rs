//! Sending, catching up and receiving (PROTOCOL.md section 6).

use crate::isr::branch::Branch;
use crate::isr::partition::{Partition, Result};
use crate::isr::payload::{Content, Payload};
use crate::isr::replica::CatchUpMode;
use crate::isr::trace::{IsrEvent, Recorder, RejectReason};
use crate::sim::{Arrival, Message};
use highwater_invariants::{Entry, Event, NodeId, Offset, Packet};

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
        self.send(follower, Content::Append { offset, entry }, recorder);
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
        }
    }

    fn release(&mut self, content: Content) {
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
        let leader = self.controller.leader();
        self.require_up(leader)?;
        self.require_up(follower)?;
        let end = self.replica(follower).log_end_offset();
        let is_caught_up = end == self.replica(leader).log_end_offset();
        let is_in_window =
            self.retained.first_offset().is_some_and(|first| end.entries() + 1 >= first.entries());
        if is_caught_up || is_in_window {
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
        if !self.controller.is_up(receiver) || !self.controller.is_up(source) {
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
        if packet.leader_epoch != self.controller.leader_epoch() {
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
                let snapshot = self.snapshots.get(slot);
                self.branches.reach(Branch::SnapshotInstalled);
                if snapshot.log.len() < self.replicas[receiver.index()].log().len() {
                    self.branches.reach(Branch::SnapshotShortensLog);
                }
                self.replicas[receiver.index()].install(
                    &snapshot.log,
                    &snapshot.data,
                    snapshot.high_watermark,
                );
                true
            }
            Content::Append { offset, entry } => {
                let next = self.replica(receiver).log_end_offset().next();
                if offset != next {
                    self.reach(if offset > next {
                        Branch::GapDetected
                    } else {
                        Branch::DuplicateDetected
                    });
                    // Sender and receiver are up, and the sender leads: it cannot fail.
                    let _ = self.synchronize(receiver, recorder);
                    return false;
                }
                self.replica_mut(receiver).append(entry, false);
                let leader_epoch = entry.leader_epoch();
                self.trace(recorder, || IsrEvent::EntryAppended {
                    node: receiver,
                    leader_epoch,
                    offset,
                });
                true
            }
        }
    }
}
