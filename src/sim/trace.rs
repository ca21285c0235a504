//! What the kernel has to tell. Whether anybody listens is a type parameter, so a run that records
//! nothing pays nothing.

use crate::sim::{MessageId, Tick};
use highwater_invariants::NodeId;

/// Why a message never reached its destination.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DropReason {
    /// The link was cut when the message was sent.
    Partition,
    /// The link was cut when the message would have been delivered.
    PartitionAtDelivery,
    /// A fault of the network took it.
    Fault,
}

/// Something that happened in the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KernelEvent<P> {
    /// A message was handed to the network.
    MessageSent {
        /// Its number, from 0; dropped messages are numbered too.
        id: MessageId,
        /// Sender.
        source: NodeId,
        /// Receiver.
        destination: NodeId,
        /// Content.
        payload: P,
    },
    /// A message was lost.
    MessageDropped {
        /// Its number.
        id: MessageId,
        /// Sender.
        source: NodeId,
        /// Receiver.
        destination: NodeId,
        /// Why.
        reason: DropReason,
    },
    /// A fault of the network copied a message; the copy arrives too.
    MessageDuplicated {
        /// Its number, which the copy has too.
        id: MessageId,
        /// Sender.
        source: NodeId,
        /// Receiver.
        destination: NodeId,
    },
    /// A fault of the network moved a message to another place in the order of arrivals.
    MessageMoved {
        /// Its number.
        id: MessageId,
        /// When it is due now.
        due: Tick,
    },
    /// A message reached its receiver, which will now handle it.
    MessageDelivered {
        /// Its number.
        id: MessageId,
        /// Sender.
        source: NodeId,
        /// Receiver.
        destination: NodeId,
        /// Content.
        payload: P,
    },
    /// The delivery of a message was scheduled.
    EventScheduled {
        /// The message.
        id: MessageId,
        /// When.
        due: Tick,
        /// The scheduler's insertion counter, from 0.
        order: u64,
    },
    /// A scheduled delivery has come due.
    EventStarted {
        /// The message.
        id: MessageId,
        /// When it was due.
        due: Tick,
        /// The scheduler's insertion counter, from 0.
        order: u64,
    },
    /// A link was cut, or had been cut already.
    PartitionAdded {
        /// The operation's node.
        source: NodeId,
        /// Its peer.
        destination: NodeId,
        /// Whether the other direction was cut too.
        bidirectional: bool,
    },
    /// A link was healed, or had not been cut.
    PartitionHealed {
        /// The operation's node.
        source: NodeId,
        /// Its peer.
        destination: NodeId,
        /// Whether the other direction was healed too.
        bidirectional: bool,
    },
}

/// Listens to the kernel.
pub trait KernelTrace<P> {
    /// Whether events are wanted at all. Where this is false, none is even made.
    const TRACING: bool;
    /// `event` happened at `tick`. Called only if [`Self::TRACING`].
    fn kernel(&mut self, tick: Tick, event: KernelEvent<P>);
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Untraced;

impl<P> KernelTrace<P> for Untraced {
    const TRACING: bool = false;
    fn kernel(&mut self, _tick: Tick, _event: KernelEvent<P>) {}
}
