//! What a trace of the model `isr` tells, for people: what only machines need is left out, and what
//! became of each message is found.

use crate::isr::{IsrEvent, RejectReason, ShownPayload, Trace, TraceEvent, ack_level, read_level};
use crate::picture::{Arrival, Event, Fate, Message};
use crate::scenario::ScenarioNames;
use crate::sim::{DropReason, KernelEvent};
use highwater_invariants::{Entry, Names, NodeId, NodeSet};

/// The events of a trace, taken piece by piece.
pub(super) struct Events<'t> {
    trace: &'t Trace,
    names: &'t ScenarioNames,
    next: usize,
    messages: Vec<Message>,
}

/// An event before it has a number.
struct Told {
    node: Option<NodeId>,
    words: String,
    message: Option<usize>,
}

impl<'t> Events<'t> {
    pub(super) fn new(trace: &'t Trace, names: &'t ScenarioNames) -> Self {
        Self { trace, names, next: 0, messages: Vec::new() }
    }

    /// The messages of all events that were taken.
    pub(super) fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// What happened until the trace had `end` records.
    pub(super) fn through(&mut self, end: usize) -> Vec<Event> {
        let mut events = Vec::new();
        while self.next < end {
            let sequence = self.next;
            let record = &self.trace.records()[sequence];
            let told = match &record.event {
                TraceEvent::Kernel(event) => self.kernel(sequence, event),
                TraceEvent::Isr(event) => self.isr(event),
            };
            if let Some(Told { node, words, message }) = told {
                events.push(Event {
                    sequence,
                    tick: Some(record.tick.0),
                    kind: record.event.kind().into(),
                    node: node.map(|node| self.node(node)),
                    words,
                    message,
                });
            }
            self.next += 1;
        }
        events
    }

    fn kernel(&mut self, sequence: usize, event: &KernelEvent<ShownPayload>) -> Option<Told> {
        let told = |node, words: String, message| Some(Told { node: Some(node), words, message });
        match event {
            KernelEvent::MessageSent { id, source, destination, payload } => {
                let words = self.payload(payload);
                self.messages.push(Message {
                    id: id.0,
                    from: self.node(*source),
                    to: self.node(*destination),
                    words: words.clone(),
                    sent: sequence,
                    arrivals: Vec::new(),
                    duplicated: false,
                });
                let words = format!("sends {words} to {}", self.node(*destination));
                told(*source, words, Some(self.messages.len() - 1))
            }
            KernelEvent::MessageDelivered { id, source, destination, payload } => {
                let message = self.arrive(id.0, sequence, Fate::Delivered, "");
                let words =
                    format!("receives {} from {}", self.payload(payload), self.node(*source));
                told(*destination, words, message)
            }
            KernelEvent::MessageDropped { id, source, destination, reason } => {
                let why = match reason {
                    DropReason::Partition => "the link was cut when it was sent",
                    DropReason::PartitionAtDelivery => "the link was cut when it would arrive",
                    DropReason::Fault => "the network lost it",
                };
                let message = self.arrive(id.0, sequence, Fate::Dropped, why);
                let words =
                    format!("message {} to {} is lost: {why}", id.0, self.node(*destination));
                told(*source, words, message)
            }
            KernelEvent::MessageDuplicated { id, destination, .. } => {
                let message = self.message(id.0);
                if let Some(message) = message {
                    self.messages[message].duplicated = true;
                }
                told(*destination, format!("message {} will arrive twice", id.0), message)
            }
            KernelEvent::MessageMoved { id, due } => {
                let words = format!("message {} is due at tick {} now", id.0, due.0);
                let message = self.message(id.0);
                Some(Told { node: None, words, message })
            }
            KernelEvent::EventScheduled { .. } | KernelEvent::EventStarted { .. } => None,
            KernelEvent::PartitionAdded { source, destination, bidirectional }
            | KernelEvent::PartitionHealed { source, destination, bidirectional } => {
                let ways = if *bidirectional { "to and from" } else { "to" };
                let is_cut = matches!(event, KernelEvent::PartitionAdded { .. });
                let what = if is_cut { "is cut" } else { "is healed" };
                let words = format!("the link {ways} {} {what}", self.node(*destination));
                told(*source, words, None)
            }
        }
    }

    fn isr(&mut self, event: &IsrEvent) -> Option<Told> {
        let (node, words) = match event {
            // The step says it already.
            IsrEvent::NetworkCreated { .. } | IsrEvent::LeaderAppended { .. } => return None,
            IsrEvent::GroupCreated { leader, leader_epoch, .. } => {
                (Some(*leader), format!("leads, in epoch {leader_epoch}"))
            }
            IsrEvent::EntryAppended { node, leader_epoch, offset } => {
                (Some(*node), format!("appends offset {offset}, epoch {leader_epoch}"))
            }
            IsrEvent::ClientWriteResult { ack, accepted, offset, .. } => {
                let what = if *accepted { "accepted" } else { "not accepted" };
                (None, format!("the {} write at offset {offset} is {what}", ack_level(*ack)))
            }
            IsrEvent::ClientRead { node, level, offset, value } => {
                let value = value.map_or("nothing".into(), |value| self.names.value(value));
                (
                    Some(*node),
                    format!(
                        "answers a {} read: {value}, through offset {offset}",
                        read_level(*level)
                    ),
                )
            }
            IsrEvent::ReplicationDelayed { follower, offset } => {
                (Some(*follower), format!("is slow: offset {offset} waits"))
            }
            IsrEvent::IncrementalCatchupStarted { follower, from_offset } => {
                (Some(*follower), format!("catches up entry by entry from offset {from_offset}"))
            }
            IsrEvent::FullCatchupStarted { follower, high_watermark } => {
                (Some(*follower), format!("catches up by snapshot, HW {high_watermark}"))
            }
            IsrEvent::AppendRejected { node, reason, leader_epoch } => {
                let why = match reason {
                    RejectReason::StaleLeaderEpoch => {
                        format!("it is of epoch {leader_epoch}, which is not the current one")
                    }
                    RejectReason::NonCurrentLeader => "it is not from the current leader".into(),
                };
                let message = self.reject(&why);
                return Some(Told {
                    node: Some(*node),
                    words: format!("rejects it: {why}"),
                    message,
                });
            }
            IsrEvent::MemberAdded { node, log_end_offset } => {
                (Some(*node), format!("joins the ISR with log end {log_end_offset}"))
            }
            IsrEvent::MemberRemoved { node, lag_entries } => {
                (Some(*node), format!("leaves the ISR, lagging by {lag_entries}"))
            }
            IsrEvent::HighWatermarkAdvanced { high_watermark, isr } => {
                (None, format!("HW is {high_watermark} now; the ISR is {}", self.set(*isr)))
            }
            IsrEvent::ReplicaSpeedChanged { node, slow } => {
                (Some(*node), if *slow { "is slow" } else { "is no longer slow" }.into())
            }
            IsrEvent::NodeFsynced { node, offset } => {
                (Some(*node), format!("syncs its log through offset {offset}"))
            }
            IsrEvent::FsyncLoss { node, restored_offset } => {
                (Some(*node), format!("loses what was not synced; log end is {restored_offset}"))
            }
            IsrEvent::NodeCrashed { node, .. } => (Some(*node), "crashes".into()),
            IsrEvent::NodeRestarted { node } => (Some(*node), "restarts".into()),
            IsrEvent::NodeIsolated { node } => (Some(*node), "is cut off".into()),
            IsrEvent::NodeHealed { node } => (Some(*node), "is reachable again".into()),
            IsrEvent::ControllerElected { old_leader, new_leader, leader_epoch, .. } => {
                let old = self.node(*old_leader);
                (
                    Some(*new_leader),
                    format!("is elected for epoch {leader_epoch}, in place of {old}"),
                )
            }
        };
        Some(Told { node, words, message: None })
    }

    /// The place of the message with that number.
    fn message(&self, id: u64) -> Option<usize> {
        self.messages.iter().rposition(|message| message.id == id)
    }

    fn arrive(&mut self, id: u64, sequence: usize, fate: Fate, why: &str) -> Option<usize> {
        let message = self.message(id)?;
        self.messages[message].arrivals.push(Arrival { sequence, fate, why: why.into() });
        Some(message)
    }

    /// The message that has just arrived is rejected.
    fn reject(&mut self, why: &str) -> Option<usize> {
        let last = |message: &Message| message.arrivals.last().map(|arrival| arrival.sequence);
        let message = (0..self.messages.len()).max_by_key(|&index| last(&self.messages[index]))?;
        let arrival = self.messages[message].arrivals.last_mut()?;
        arrival.fate = Fate::Rejected;
        arrival.why = why.into();
        Some(message)
    }

    fn payload(&self, payload: &ShownPayload) -> String {
        match payload {
            ShownPayload::Append { leader_epoch, offset, entry, .. } => {
                let history = match entry.leader_epoch() {
                    epoch if epoch == *leader_epoch => String::new(),
                    epoch => format!(" (an entry of epoch {epoch})"),
                };
                format!(
                    "{} at offset {offset} in epoch {leader_epoch}{history}",
                    self.entry(*entry)
                )
            }
            ShownPayload::Snapshot { leader_epoch, log, high_watermark, .. } => format!(
                "a snapshot of {} entries, HW {high_watermark}, in epoch {leader_epoch}",
                log.len()
            ),
        }
    }

    fn entry(&self, entry: Entry) -> String {
        format!("{}={}", self.names.key(entry.key()), self.names.value(entry.value()))
    }

    fn node(&self, node: NodeId) -> String {
        Names::node(self.names, node)
    }

    fn set(&self, nodes: NodeSet) -> String {
        let names: Vec<_> = nodes.iter().map(|node| self.node(node)).collect();
        names.join(", ")
    }
}
