//! The numbers of one partition, checked (PROTOCOL.md section 2).

use crate::isr::variant::{Rules, Variant};
use highwater_invariants::{KeyId, NodeId, ValueId};

/// What a partition is configured to, with ids for names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settings {
    /// How many nodes there are.
    pub nodes: usize,
    /// The first leader.
    pub leader: NodeId,
    /// `min.insync.replicas`: below it an `ALL_ISR` write is not admitted.
    pub min_insync_replicas: usize,
    /// Ticks without being caught up after which a follower leaves the ISR.
    pub replica_lag_timeout_ticks: u64,
    /// How many of the latest leader appends can be replayed to a follower.
    pub log_retention_entries: usize,
    /// Ticks that a message takes.
    pub replication_delay_ticks: u64,
    /// How many times a waiting write is looked at, a tick apart.
    pub ack_timeout_ticks: u64,
    /// Ticks for which a leader may serve authoritative reads after it last had enough ISR members.
    /// Not checked: with a negative one no lease is ever valid.
    pub lease_duration_ticks: i64,
    /// Recorded; drives nothing in `published`.
    pub seed: u64,
    /// What ends a run.
    pub limits: Limits,
    /// Which rules the partition follows.
    pub rules: Rules,
}

/// What ends a run that would otherwise never end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// The most messages in flight at once, beside those that operations themselves sent since
    /// nothing was in flight.
    pub messages_in_flight_max: usize,
    /// The most ticks for which [`crate::isr::Partition::run_until_idle`] goes on.
    pub idle_ticks_max: u64,
}

impl Limits {
    /// PROTOCOL.md section 5: 10,000 ticks, and any number of messages.
    pub const PROTOCOL: Self = Self { messages_in_flight_max: usize::MAX, idle_ticks_max: 10_000 };

    /// What engines allow a group of `nodes` with that retention and delay.
    ///
    /// A follower that catches up has at most its retained window in flight, and may ask again for
    /// each message of it; eight windows for every node is far beyond that, and far below what a
    /// resend storm reaches within a few rounds. Catching up takes a few network delays; 64 of
    /// them is far beyond that.
    pub const fn for_engines(nodes: usize, retention_entries: usize, delay_ticks: u64) -> Self {
        Self {
            messages_in_flight_max: retention_entries.saturating_mul(8 * nodes).saturating_add(64),
            idle_ticks_max: delay_ticks.saturating_mul(64).saturating_add(64),
        }
    }
}

impl Settings {
    /// The reference simulator's defaults (PROTOCOL.md section 2), for three nodes.
    pub const DEFAULTS: Self = Self {
        nodes: 3,
        leader: NodeId::new(0),
        min_insync_replicas: 2,
        replica_lag_timeout_ticks: 3,
        log_retention_entries: 8,
        replication_delay_ticks: 1,
        ack_timeout_ticks: 32,
        lease_duration_ticks: 4,
        seed: 0,
        limits: Limits::for_engines(3, 8, 1),
        rules: Rules::of(Variant::Published),
    };

    /// Small numbers, so that an exploration has few states.
    pub const SMALL: Self = Self {
        replica_lag_timeout_ticks: 1,
        log_retention_entries: 2,
        ack_timeout_ticks: 2,
        lease_duration_ticks: 1,
        limits: Limits::for_engines(3, 2, 1),
        ..Self::DEFAULTS
    };

    /// The key of the writes that test whether the partition has recovered.
    pub const PROBE_KEY: KeyId = KeyId(0);

    /// The value of those writes: the last id, which no scenario reaches.
    pub const PROBE_VALUE: ValueId = match ValueId::from_index(u16::MAX as usize - 1) {
        Some(value) => value,
        None => unreachable!(),
    };

    /// Ticks within which a partition must have recovered once faults have stopped: time for
    /// lagging followers to be dropped, for gaps to be noticed and for catching up, with some to
    /// spare. The ack timeout has no part in it: the writer of this phase is patient.
    pub const fn recovery_ticks_max(&self) -> u64 {
        self.replica_lag_timeout_ticks
            .saturating_mul(3)
            .saturating_add(self.replication_delay_ticks.saturating_mul(12))
            .saturating_add(8)
    }
}
