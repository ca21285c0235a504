//! What just happened, as a checker is told it.

use crate::vocabulary::{Entry, KeyId, LeaderEpoch, NodeId, Offset, ValueId, View, WriteId};

/// How much a writer waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AckLevel {
    /// Nothing (not supported by ISR replication).
    None,
    /// The leader's own append.
    Leader,
    /// A majority (not supported by ISR replication).
    Quorum,
    /// Every current ISR member, and the high watermark at or past the entry.
    AllIsr,
}

/// How authoritative a read must be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReadLevel {
    /// Whatever one replica has; may be stale, may be uncommitted.
    Local,
    /// Whatever the leader has; may be uncommitted.
    Leader,
    /// Committed data only, from a leader that may still lead.
    Linearizable,
}

/// Where a replication packet says it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Packet {
    /// The node that sent it.
    pub source: NodeId,
    /// The node that receives it.
    pub receiver: NodeId,
    /// The leader in whose name it was sent.
    pub source_leader: NodeId,
    /// The packet's authority: the leader epoch in which it was sent.
    pub leader_epoch: LeaderEpoch,
}

/// How the second phase ended, in which there are no new operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Settled {
    /// Nothing is in flight any more.
    Idle {
        /// Ticks that it took.
        ticks: u64,
    },
    /// Messages are still in flight after `ticks`, the bound.
    StillBusy {
        /// Ticks waited: the bound.
        ticks: u64,
        /// Messages in flight at the end.
        in_flight: usize,
    },
    /// More messages were in flight at once than `budget`. This ends a run wherever it happens.
    OverBudget {
        /// Messages in flight.
        in_flight: usize,
        /// The most that may be.
        budget: usize,
    },
}

/// What just happened. A model reports each event at the moment at which it happens, with a
/// [`View`] of the partition at that moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A client submits a write; nothing has been done yet.
    WriteSubmitted {
        /// The write.
        write: WriteId,
        /// Its key.
        key: KeyId,
        /// Its value.
        value: ValueId,
        /// What the client waits for.
        ack: AckLevel,
    },
    /// The write was refused at admission: nothing was appended, nothing will be.
    WriteRefused {
        /// The write.
        write: WriteId,
    },
    /// The leader appended the write to its own log.
    WriteAppended {
        /// The write.
        write: WriteId,
        /// Where.
        offset: Offset,
        /// What.
        entry: Entry,
    },
    /// The client has its answer. If it is not `accepted`, the entry may survive all the same.
    WriteAnswered {
        /// The write.
        write: WriteId,
        /// What the client waited for.
        ack: AckLevel,
        /// Whether the write succeeded.
        accepted: bool,
        /// Where the leader appended it.
        offset: Offset,
        /// What the leader appended.
        entry: Entry,
    },
    /// A read was served.
    ReadServed {
        /// At which level; a lease read counts as linearizable.
        level: ReadLevel,
        /// By which node.
        node: NodeId,
        /// Which key.
        key: KeyId,
        /// What was returned.
        value: Option<ValueId>,
        /// The offset through which the answer claims to hold.
        offset: Offset,
    },
    /// A packet reached a live receiver, which has not handled it yet.
    PacketArrived(Packet),
    /// The receiver has handled the packet: applied it, rejected it or answered it.
    PacketHandled(Packet),
    /// The partition's high watermark has just moved up.
    HighWatermarkAdvanced {
        /// Where it was.
        from: Offset,
    },
    /// The controller made `node` the leader of a new epoch.
    Elected {
        /// The new leader.
        node: NodeId,
    },
    /// A node went down.
    Crashed {
        /// The node.
        node: NodeId,
        /// Whether it lost what it had not synced.
        lost_unfsynced: bool,
    },
    /// The logical clock moved by one tick, and all that was due has been done.
    Ticked,
    /// An operation of the scenario has ended.
    OperationEnded,
    /// There are no new operations; the partition was left to itself.
    Settled(Settled),
    /// Faults stop now: every node is restarted and every link healed after this event.
    RecoveryStarted,
    /// The time given for recovery is over, or recovery is complete.
    RecoveryEnded {
        /// Whether an `ALL_ISR` write was accepted since [`Event::RecoveryStarted`].
        write_accepted: bool,
        /// Ticks that it took.
        ticks: u64,
    },
}

impl Packet {
    /// Whether the packet is of the current leader epoch and from the current leader.
    #[inline]
    pub fn has_authority<V: View>(self, view: &V) -> bool {
        self.leader_epoch == view.leader_epoch()
            && view.leader() == Some(self.source)
            && view.leader() == Some(self.source_leader)
    }
}

impl Event {
    /// Whether this is the arrival of a packet that has authority: no invariant asks about that. What
    /// the packet does is checked with the tick.
    #[inline]
    pub(crate) fn is_arrival_from_the_leader<V: View>(self, view: &V) -> bool {
        matches!(self, Self::PacketArrived(packet) if packet.has_authority(view))
    }

    /// Whether this is one of the moments at which the whole state is checked.
    #[inline]
    pub(crate) const fn is_state_check(self) -> bool {
        matches!(
            self,
            Self::Ticked | Self::OperationEnded | Self::Settled(_) | Self::RecoveryEnded { .. }
        )
    }
}

/// Is told what happens, and may look but not touch.
pub trait Observer {
    /// `event` has just happened, and the partition is now as `view` shows it.
    fn observe<V: View>(&mut self, event: Event, view: &V);
}

/// Nobody watches; costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    #[inline]
    fn observe<V: View>(&mut self, _event: Event, _view: &V) {}
}
