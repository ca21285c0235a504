//! What the partition has to tell, and who listens.
//!
//! Two kinds of listeners, both type parameters: a trace for people and for conformance (every
//! event of PROTOCOL.md section 9), and an observer for checkers (the vocabulary of
//! [`highwater_invariants`]). A run without them pays nothing.

use crate::isr::Partition;
use crate::isr::payload::ShownPayload;
use crate::sim::{KernelEvent, KernelTrace, Tick, Untraced};
use highwater_invariants::{
    AckLevel, Event, LeaderEpoch, NodeId, NodeSet, Observer, Offset, ReadLevel, ValueId,
};

/// Why a packet was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RejectReason {
    /// Its leader epoch is not the current one.
    StaleLeaderEpoch,
    /// It does not come from the current leader.
    NonCurrentLeader,
}

/// An event of replication (PROTOCOL.md section 9, where each is described).
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum IsrEvent {
    NetworkCreated {
        seed: u64,
    },
    GroupCreated {
        leader: NodeId,
        leader_epoch: LeaderEpoch,
        isr: NodeSet,
        min_insync_replicas: usize,
        seed: u64,
    },
    EntryAppended {
        node: NodeId,
        leader_epoch: LeaderEpoch,
        offset: Offset,
    },
    LeaderAppended {
        leader: NodeId,
        leader_epoch: LeaderEpoch,
        offset: Offset,
    },
    ClientWriteResult {
        ack: AckLevel,
        accepted: bool,
        offset: Offset,
        isr: NodeSet,
        high_watermark: Offset,
    },
    ClientRead {
        node: NodeId,
        level: ReadLevel,
        offset: Offset,
        value: Option<ValueId>,
    },
    ReplicationDelayed {
        follower: NodeId,
        offset: Offset,
    },
    IncrementalCatchupStarted {
        follower: NodeId,
        from_offset: Offset,
    },
    FullCatchupStarted {
        follower: NodeId,
        high_watermark: Offset,
    },
    AppendRejected {
        node: NodeId,
        reason: RejectReason,
        leader_epoch: LeaderEpoch,
    },
    MemberAdded {
        node: NodeId,
        log_end_offset: Offset,
    },
    MemberRemoved {
        node: NodeId,
        lag_entries: u32,
    },
    HighWatermarkAdvanced {
        high_watermark: Offset,
        isr: NodeSet,
    },
    ReplicaSpeedChanged {
        node: NodeId,
        slow: bool,
    },
    NodeFsynced {
        node: NodeId,
        offset: Offset,
    },
    FsyncLoss {
        node: NodeId,
        restored_offset: Offset,
    },
    NodeCrashed {
        node: NodeId,
        lost_unfsynced: bool,
    },
    NodeRestarted {
        node: NodeId,
    },
    NodeIsolated {
        node: NodeId,
    },
    NodeHealed {
        node: NodeId,
    },
    ControllerElected {
        old_leader: NodeId,
        new_leader: NodeId,
        controller_epoch: u32,
        leader_epoch: LeaderEpoch,
        high_watermark: Offset,
    },
}

/// An event of the kernel or of replication.
#[expect(clippy::large_enum_variant, reason = "made only while tracing")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceEvent {
    /// Of the kernel.
    Kernel(KernelEvent<ShownPayload>),
    /// Of replication.
    Isr(IsrEvent),
}

/// An event and when it happened. Its sequence number is its place in the [`Trace`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceRecord {
    /// When.
    pub tick: Tick,
    /// What.
    pub event: TraceEvent,
}

/// An append-only list of all that happened.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    records: Vec<TraceRecord>,
}

impl Trace {
    /// What happened, in order.
    pub fn records(&self) -> &[TraceRecord] {
        &self.records
    }

    fn push(&mut self, tick: Tick, event: TraceEvent) {
        self.records.push(TraceRecord { tick, event });
    }
}

/// Listens to a partition.
pub trait Recorder: KernelTrace<ShownPayload> {
    /// An event of replication happened. Called only if [`KernelTrace::TRACING`].
    fn isr(&mut self, tick: Tick, event: IsrEvent);
    /// An event of the checkers' vocabulary happened.
    fn observe(&mut self, event: Event, partition: &Partition);
}

impl Recorder for Untraced {
    fn isr(&mut self, _tick: Tick, _event: IsrEvent) {}
    #[inline]
    fn observe(&mut self, _event: Event, _partition: &Partition) {}
}

impl KernelTrace<ShownPayload> for Trace {
    const TRACING: bool = true;
    fn kernel(&mut self, tick: Tick, event: KernelEvent<ShownPayload>) {
        self.push(tick, TraceEvent::Kernel(event));
    }
}

impl Recorder for Trace {
    fn isr(&mut self, tick: Tick, event: IsrEvent) {
        self.push(tick, TraceEvent::Isr(event));
    }
    fn observe(&mut self, _event: Event, _partition: &Partition) {}
}

/// Observed and not traced.
#[derive(Debug)]
pub struct Observed<'a, O>(pub &'a mut O);

impl<O> KernelTrace<ShownPayload> for Observed<'_, O> {
    const TRACING: bool = false;
    fn kernel(&mut self, _tick: Tick, _event: KernelEvent<ShownPayload>) {}
}

impl<O: Observer> Recorder for Observed<'_, O> {
    fn isr(&mut self, _tick: Tick, _event: IsrEvent) {}
    #[inline]
    fn observe(&mut self, event: Event, partition: &Partition) {
        self.0.observe(event, partition);
    }
}

/// Observed and traced.
#[derive(Debug)]
pub struct Traced<'a, O> {
    /// Records everything.
    pub trace: &'a mut Trace,
    /// Checks everything.
    pub observer: &'a mut O,
}

impl<O> KernelTrace<ShownPayload> for Traced<'_, O> {
    const TRACING: bool = true;
    fn kernel(&mut self, tick: Tick, event: KernelEvent<ShownPayload>) {
        self.trace.kernel(tick, event);
    }
}

impl<O: Observer> Recorder for Traced<'_, O> {
    fn isr(&mut self, tick: Tick, event: IsrEvent) {
        self.trace.isr(tick, event);
    }
    fn observe(&mut self, event: Event, partition: &Partition) {
        self.observer.observe(event, partition);
    }
}
