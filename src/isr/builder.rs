//! A group's configuration in one sentence.

use crate::isr::configuration::{ConfigurationError, GroupConfiguration};
use crate::isr::group::IsrGroup;
use crate::isr::trace::Trace;
use crate::sim::Untraced;

/// Builds an [`IsrGroup`] in one sentence. Starts from the defaults of [`GroupConfiguration`].
#[derive(Clone, Debug, Default)]
pub struct GroupBuilder {
    configuration: GroupConfiguration,
}

impl GroupBuilder {
    /// The names of the nodes, unique, 2 to 8 of them.
    #[must_use]
    pub fn nodes<N: Into<String>>(mut self, nodes: impl IntoIterator<Item = N>) -> Self {
        self.configuration.nodes = nodes.into_iter().map(Into::into).collect();
        self
    }

    /// The first leader (default: the first node).
    #[must_use]
    pub fn leader(mut self, leader: impl Into<String>) -> Self {
        self.configuration.leader = Some(leader.into());
        self
    }

    /// `min.insync.replicas` (default 2).
    #[must_use]
    pub fn min_insync_replicas(mut self, replicas: u64) -> Self {
        self.configuration.min_insync_replicas = replicas;
        self
    }

    /// Ticks without being caught up after which a follower leaves the ISR (default 3).
    #[must_use]
    pub fn replica_lag_timeout_ticks(mut self, ticks: u64) -> Self {
        self.configuration.replica_lag_timeout_ticks = ticks;
        self
    }

    /// Latest leader appends that can be replayed to a follower (default 8).
    #[must_use]
    pub fn log_retention_entries(mut self, entries: u64) -> Self {
        self.configuration.log_retention_entries = entries;
        self
    }

    /// Ticks that a message takes (default 1).
    #[must_use]
    pub fn replication_delay_ticks(mut self, ticks: u64) -> Self {
        self.configuration.replication_delay_ticks = ticks;
        self
    }

    /// How many times a waiting write is looked at, a tick apart (default 32).
    #[must_use]
    pub fn ack_timeout_ticks(mut self, ticks: u64) -> Self {
        self.configuration.ack_timeout_ticks = ticks;
        self
    }

    /// Ticks for which a leader may serve authoritative reads after it last had enough ISR members
    /// (default 4).
    #[must_use]
    pub fn lease_duration_ticks(mut self, ticks: i64) -> Self {
        self.configuration.lease_duration_ticks = ticks;
        self
    }

    /// The seed that the trace records (default 0).
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.configuration.seed = seed;
        self
    }

    /// A group that nobody listens to.
    pub fn build(self) -> Result<IsrGroup, ConfigurationError> {
        IsrGroup::with_recorder(&self.configuration, Untraced)
    }

    /// A group that records all that happens; see [`IsrGroup::trace`].
    pub fn build_traced(self) -> Result<IsrGroup<Trace>, ConfigurationError> {
        IsrGroup::with_recorder(&self.configuration, Trace::default())
    }
}
