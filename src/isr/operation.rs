//! The operations of a scenario, and what each answered.

use crate::isr::client::{ReadAnswer, WriteAnswer, WriteReason};
use crate::isr::error::IsrError;
use crate::isr::partition::{Partition, Result};
use crate::isr::pending::{Patience, Submission};
use crate::isr::trace::Recorder;
use highwater_invariants::{AckLevel, KeyId, NodeId, ReadLevel, ValueId};

/// Something that a client, an operator or fate does to the partition.
///
/// Each is a decision, never a random number to be reinterpreted; one that does not apply is
/// refused, so that deleting an operation from a sequence leaves the others meaningful.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Operation {
    /// Write, and wait for the answer as long as it takes.
    Write { key: KeyId, value: ValueId, ack: AckLevel },
    /// Write, and let ticks bring the answer.
    Submit { key: KeyId, value: ValueId, ack: AckLevel },
    /// Read at a level; only a `LOCAL` read may name a node.
    Read { key: KeyId, level: ReadLevel, node: Option<NodeId> },
    /// Read committed data at a node that must hold the lease.
    LeaseRead { node: NodeId, key: KeyId },
    /// One tick.
    Tick,
    /// Tick while anything is in flight.
    RunUntilIdle,
    /// Mark a follower slow, or no longer slow.
    SetReplicaSlow { node: NodeId, slow: bool },
    /// Make a node's log durable.
    Fsync { node: NodeId },
    /// Take a node down, with or without loss of what is not durable.
    Crash { node: NodeId, lose_unfsynced: bool },
    /// Bring a node up.
    Restart { node: NodeId },
    /// Cut a node off from all others.
    Isolate { node: NodeId },
    /// Heal all links of a node.
    Heal { node: NodeId },
    /// Make an ISR member the leader.
    ControllerElect { node: NodeId },
    /// Lose a message in flight: number `message` in the order of arrivals, the next one being 0.
    DropMessage { message: usize },
    /// Let a message in flight arrive twice.
    DuplicateMessage { message: usize },
    /// Let a message in flight arrive so many ticks later.
    DelayMessage { message: usize, ticks: u64 },
    /// Let the next message overtake this one.
    ReorderMessage { message: usize },
    /// Cut the link from `node` to `peer`, in this direction only.
    CutLink { node: NodeId, peer: NodeId },
    /// Heal the link from `node` to `peer`, in this direction only.
    HealLink { node: NodeId, peer: NodeId },
}

/// What an operation answered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Done; there is nothing to say.
    Done,
    /// A write's answer.
    Written(WriteAnswer),
    /// A submitted write waits.
    Submitted(highwater_invariants::Offset),
    /// A read's answer.
    Read(ReadAnswer),
    /// Idle after so many ticks.
    Idle(u64),
    /// Refused.
    Refused(IsrError<NodeId>),
}

impl Operation {
    /// How many kinds of operations there are.
    const COUNT: usize = 19;

    /// The name of the operation's kind, as in scenario files.
    pub const fn kind(self) -> &'static str {
        Self::NAMES[self.number()]
    }

    /// The number of the operation's kind in [`Operation::KINDS`].
    pub const fn number(self) -> usize {
        match self {
            Self::Write { .. } => 0,
            Self::Submit { .. } => 1,
            Self::Read { .. } => 2,
            Self::LeaseRead { .. } => 3,
            Self::Tick => 4,
            Self::RunUntilIdle => 5,
            Self::SetReplicaSlow { .. } => 6,
            Self::Fsync { .. } => 7,
            Self::Crash { .. } => 8,
            Self::Restart { .. } => 9,
            Self::Isolate { .. } => 10,
            Self::Heal { .. } => 11,
            Self::ControllerElect { .. } => 12,
            Self::DropMessage { .. } => 13,
            Self::DuplicateMessage { .. } => 14,
            Self::DelayMessage { .. } => 15,
            Self::ReorderMessage { .. } => 16,
            Self::CutLink { .. } => 17,
            Self::HealLink { .. } => 18,
        }
    }

    /// The nodes that the operation names.
    pub const fn nodes(self) -> [Option<NodeId>; 2] {
        match self {
            Self::Write { .. }
            | Self::Submit { .. }
            | Self::Tick
            | Self::RunUntilIdle
            | Self::DropMessage { .. }
            | Self::DuplicateMessage { .. }
            | Self::DelayMessage { .. }
            | Self::ReorderMessage { .. } => [None, None],
            Self::Read { node, .. } => [node, None],
            Self::LeaseRead { node, .. }
            | Self::SetReplicaSlow { node, .. }
            | Self::Fsync { node }
            | Self::Crash { node, .. }
            | Self::Restart { node }
            | Self::Isolate { node }
            | Self::Heal { node }
            | Self::ControllerElect { node } => [Some(node), None],
            Self::CutLink { node, peer } | Self::HealLink { node, peer } => {
                [Some(node), Some(peer)]
            }
        }
    }

    /// The same fault of another message in flight.
    #[must_use]
    pub const fn with_message(mut self, number: usize) -> Self {
        match &mut self {
            Self::DropMessage { message }
            | Self::DuplicateMessage { message }
            | Self::DelayMessage { message, .. }
            | Self::ReorderMessage { message } => *message = number,
            _ => {}
        }
        self
    }

    /// Whether it is a fault of a single message or of one direction of a link.
    pub const fn is_of_network(self) -> bool {
        matches!(
            self,
            Self::DropMessage { .. }
                | Self::DuplicateMessage { .. }
                | Self::DelayMessage { .. }
                | Self::ReorderMessage { .. }
                | Self::CutLink { .. }
                | Self::HealLink { .. }
        )
    }

    /// The key that the operation names, if it names one.
    pub const fn key(self) -> Option<KeyId> {
        match self {
            Self::Write { key, .. }
            | Self::Submit { key, .. }
            | Self::Read { key, .. }
            | Self::LeaseRead { key, .. } => Some(key),
            _ => None,
        }
    }

    /// The value that the operation writes, if it writes one.
    pub const fn value(self) -> Option<ValueId> {
        match self {
            Self::Write { value, .. } | Self::Submit { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The same operation on another node. `None` if `map` has none for it.
    #[must_use]
    pub fn map_nodes(mut self, mut map: impl FnMut(NodeId) -> Option<NodeId>) -> Option<Self> {
        match &mut self {
            Self::Write { .. }
            | Self::Submit { .. }
            | Self::Tick
            | Self::RunUntilIdle
            | Self::DropMessage { .. }
            | Self::DuplicateMessage { .. }
            | Self::DelayMessage { .. }
            | Self::ReorderMessage { .. } => {}
            Self::CutLink { node, peer } | Self::HealLink { node, peer } => {
                *node = map(*node)?;
                *peer = map(*peer)?;
            }
            Self::Read { node, .. } => {
                if let Some(node) = node {
                    *node = map(*node)?;
                }
            }
            Self::LeaseRead { node, .. }
            | Self::SetReplicaSlow { node, .. }
            | Self::Fsync { node }
            | Self::Crash { node, .. }
            | Self::Restart { node }
            | Self::Isolate { node }
            | Self::Heal { node }
            | Self::ControllerElect { node } => *node = map(*node)?,
        }
        Some(self)
    }

    /// The same operation on another key, writing another value.
    #[must_use]
    pub fn map_names(
        mut self,
        mut map_key: impl FnMut(KeyId) -> KeyId,
        mut map_value: impl FnMut(ValueId) -> ValueId,
    ) -> Self {
        match &mut self {
            Self::Write { key, value, .. } | Self::Submit { key, value, .. } => {
                *key = map_key(*key);
                *value = map_value(*value);
            }
            Self::Read { key, .. } | Self::LeaseRead { key, .. } => *key = map_key(*key),
            _ => {}
        }
        self
    }

    /// Every kind of operation with what it does, for `highwater list operations`.
    pub const KINDS: [(&'static str, &'static str); Self::COUNT] = [
        ("write", "write key=value at level LEADER or ALL_ISR and wait for the answer"),
        ("submit", "the same without waiting: ticks bring the answer, faults may come between"),
        ("read", "read key at level LOCAL (of any node), LEADER or LINEARIZABLE"),
        ("lease_read", "read committed data at a node that must lead and hold a valid lease"),
        ("tick", "one tick: deliver what is due, then refresh"),
        ("run_until_idle", "tick while anything is in flight"),
        ("set_replica_slow", "stop sending entries to a follower, or catch it up again"),
        ("fsync", "make a node's log durable"),
        ("crash", "take a node down; lose_unfsynced: its log goes back to the durable image"),
        ("restart", "bring a node that is down up again, its links healed"),
        ("isolate", "cut a node off from every peer"),
        ("heal", "heal all links of a node"),
        ("controller_elect", "make a live ISR member the leader of a new epoch"),
        ("drop_message", "lose a message in flight, by its place in the order of arrivals from 0"),
        ("duplicate_message", "let a message in flight arrive twice"),
        ("delay_message", "let a message in flight arrive some ticks later"),
        ("reorder_message", "let the message behind it overtake a message in flight"),
        ("cut_link", "cut the link from a node to a peer, in this direction only"),
        ("heal_link", "heal the link from a node to a peer, in this direction only"),
    ];

    /// The names of all kinds, by number.
    pub const NAMES: [&'static str; Self::COUNT] = {
        let mut names = [""; Self::COUNT];
        let mut index = 0;
        while index < names.len() {
            names[index] = Self::KINDS[index].0;
            index += 1;
        }
        names
    };
}

impl Outcome {
    /// What each kind of outcome is, by number.
    pub const KINDS: &'static [&'static str] = &[
        "done",
        "write accepted by the leader alone",
        "write accepted by all ISR members",
        "write refused at admission: ISR below min.insync.replicas",
        "write appended and not acknowledged",
        "write submitted and waiting",
        "read served",
        "idle",
        "refused: unknown node",
        "refused: node is crashed",
        "refused: not an ISR member",
        "refused: already leader",
        "refused: already running",
        "refused: the leader cannot be slow",
        "refused: read does not accept a node",
        "refused: no committed high watermark lease",
        "refused: lease expired or fenced",
        "refused: did not become idle",
        "refused: unsupported ack level",
        "refused: message budget exceeded",
        "refused: too many names",
        "refused: no such message in flight",
        "refused: no link to itself",
        "refused: leader is fenced",
    ];

    /// The number of this outcome's kind.
    pub const fn number(self) -> usize {
        match self {
            Self::Done => 0,
            Self::Written(answer) => match answer.reason {
                WriteReason::LeaderAppended => 1,
                WriteReason::IsrAcknowledged => 2,
                WriteReason::BelowMinInsync => 3,
                WriteReason::NotAcknowledged => 4,
            },
            Self::Submitted(_) => 5,
            Self::Read(_) => 6,
            Self::Idle(_) => 7,
            Self::Refused(error) => match error {
                IsrError::UnknownNode(_) => 8,
                IsrError::NodeCrashed(_) => 9,
                IsrError::NotInIsr(_) => 10,
                IsrError::AlreadyLeader(_) => 11,
                IsrError::AlreadyRunning(_) => 12,
                IsrError::LeaderCannotBeSlow => 13,
                IsrError::NodeNotAccepted(_) => 14,
                IsrError::NoCommittedLease => 15,
                IsrError::LeaseExpiredOrFenced => 16,
                IsrError::DidNotBecomeIdle => 17,
                IsrError::UnsupportedAck(_) => 18,
                IsrError::OverMessageBudget => 19,
                IsrError::TooManyNames => 20,
                IsrError::NoSuchMessage(_) => 21,
                IsrError::NoLinkToItself(_) => 22,
                IsrError::LeaderFenced(_) => 23,
            },
        }
    }
}

impl Partition {
    /// Applies one operation. Total: what does not apply is [`Outcome::Refused`].
    pub fn apply(&mut self, operation: Operation, recorder: &mut impl Recorder) -> Outcome {
        let outcome = self.try_to_apply(operation, recorder);
        self.check_message_budget(recorder);
        outcome.unwrap_or_else(Outcome::Refused)
    }

    fn try_to_apply(
        &mut self,
        operation: Operation,
        recorder: &mut impl Recorder,
    ) -> Result<Outcome> {
        let done = |()| Outcome::Done;
        match operation {
            Operation::Write { key, value, ack } => {
                self.write(key, value, ack, recorder).map(Outcome::Written)
            }
            Operation::Submit { key, value, ack } => {
                let patience = Patience::of_client(&self.settings, false);
                self.submit(key, value, ack, patience, recorder).map(
                    |submission| match submission {
                        Submission::Answered(answer) => Outcome::Written(answer),
                        Submission::Pending { offset, .. } => Outcome::Submitted(offset),
                    },
                )
            }
            Operation::Read { key, level, node } => {
                self.read(key, level, node, recorder).map(Outcome::Read)
            }
            Operation::LeaseRead { node, key } => {
                self.lease_read(node, key, recorder).map(Outcome::Read)
            }
            Operation::Tick => {
                self.tick(recorder);
                Ok(Outcome::Done)
            }
            Operation::RunUntilIdle => self.run_until_idle(recorder).map(Outcome::Idle),
            Operation::SetReplicaSlow { node, slow } => {
                self.set_replica_slow(node, slow, recorder).map(done)
            }
            Operation::Fsync { node } => self.fsync(node, recorder).map(done),
            Operation::Crash { node, lose_unfsynced } => {
                self.crash(node, lose_unfsynced, recorder).map(done)
            }
            Operation::Restart { node } => self.restart(node, recorder).map(done),
            Operation::Isolate { node } => self.isolate(node, recorder).map(done),
            Operation::Heal { node } => self.heal(node, recorder).map(done),
            Operation::ControllerElect { node } => self.elect(node, recorder).map(done),
            Operation::DropMessage { message } => self.drop_message(message, recorder).map(done),
            Operation::DuplicateMessage { message } => {
                self.duplicate_message(message, recorder).map(done)
            }
            Operation::DelayMessage { message, ticks } => {
                self.delay_message(message, ticks, recorder).map(done)
            }
            Operation::ReorderMessage { message } => {
                self.reorder_message(message, recorder).map(done)
            }
            Operation::CutLink { node, peer } => self.cut_link(node, peer, recorder).map(done),
            Operation::HealLink { node, peer } => self.heal_link(node, peer, recorder).map(done),
        }
    }
}
