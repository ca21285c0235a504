//! A configuration as a caller gives it, and the checks that it must pass (PROTOCOL.md section 2).

use crate::isr::settings::{Limits, Settings};
use crate::isr::variant::Rules;
use highwater_invariants::{MAX_NODES, NodeId};
use std::collections::HashSet;

/// The configuration of one partition. The defaults are the reference simulator's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroupConfiguration {
    /// Names of the nodes, unique, 2 to 8 of them. Configuration order is the order in which the
    /// protocol visits them.
    pub nodes: Vec<String>,
    /// The first leader; `None` is the first node.
    pub leader: Option<String>,
    /// `min.insync.replicas`, from 1 to the number of nodes.
    pub min_insync_replicas: u64,
    /// Ticks without being caught up after which a follower leaves the ISR. At least 1.
    pub replica_lag_timeout_ticks: u64,
    /// Latest leader appends that can be replayed to a follower. At least 1.
    pub log_retention_entries: u64,
    /// Ticks that a message takes. At least 1.
    pub replication_delay_ticks: u64,
    /// How many times a waiting write is looked at, a tick apart. At least 1.
    pub ack_timeout_ticks: u64,
    /// Ticks for which a leader may serve authoritative reads after it last had enough ISR members.
    /// Any number; with a negative one no lease is ever valid.
    pub lease_duration_ticks: i64,
    /// Recorded in the trace; drives nothing in `published`.
    pub seed: u64,
}

impl Default for GroupConfiguration {
    fn default() -> Self {
        let defaults = Settings::DEFAULTS;
        Self {
            nodes: ["node-1", "node-2", "node-3"].map(String::from).to_vec(),
            leader: None,
            min_insync_replicas: defaults.min_insync_replicas as u64,
            replica_lag_timeout_ticks: defaults.replica_lag_timeout_ticks,
            log_retention_entries: defaults.log_retention_entries as u64,
            replication_delay_ticks: defaults.replication_delay_ticks,
            ack_timeout_ticks: defaults.ack_timeout_ticks,
            lease_duration_ticks: defaults.lease_duration_ticks,
            seed: defaults.seed,
        }
    }
}

/// Why a configuration is refused. The message is the reference simulator's, and then what is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// Fewer than two nodes, or two of one name.
    #[error("ISR requires at least two unique node IDs")]
    Nodes,
    /// The named leader is not a node.
    #[error("leader_id must be a member")]
    Leader,
    /// `min.insync.replicas` is 0 or more than there are nodes.
    #[error("min.insync.replicas must fit the group")]
    MinInsyncReplicas,
    /// One of the lag timeout, the retention, the delay and the ack timeout is 0.
    #[error("timeouts, retention, and delay must be positive")]
    NotPositive,
    /// More nodes than a partition can have.
    #[error("{0} nodes are more than the {MAX_NODES} that a partition can have")]
    TooManyNodes(usize),
}

impl GroupConfiguration {
    /// Checks everything, in the order of PROTOCOL.md section 2, and turns names into ids.
    pub fn check(&self, rules: Rules, limits: Limits) -> Result<Settings, ConfigurationError> {
        let unique: HashSet<_> = self.nodes.iter().collect();
        if self.nodes.len() < 2 || unique.len() < self.nodes.len() {
            return Err(ConfigurationError::Nodes);
        }
        if self.nodes.len() > MAX_NODES {
            return Err(ConfigurationError::TooManyNodes(self.nodes.len()));
        }
        let leader = match &self.leader {
            None => NodeId::new(0),
            Some(name) => self.node(name).ok_or(ConfigurationError::Leader)?,
        };
        if self.min_insync_replicas == 0 || self.min_insync_replicas > self.nodes.len() as u64 {
            return Err(ConfigurationError::MinInsyncReplicas);
        }
        let positive = [
            self.replica_lag_timeout_ticks,
            self.log_retention_entries,
            self.replication_delay_ticks,
            self.ack_timeout_ticks,
        ];
        if positive.contains(&0) {
            return Err(ConfigurationError::NotPositive);
        }
        Ok(Settings {
            nodes: self.nodes.len(),
            leader,
            min_insync_replicas: self.min_insync_replicas as usize,
            replica_lag_timeout_ticks: self.replica_lag_timeout_ticks,
            log_retention_entries: usize::try_from(self.log_retention_entries)
                .unwrap_or(usize::MAX),
            replication_delay_ticks: self.replication_delay_ticks,
            ack_timeout_ticks: self.ack_timeout_ticks,
            lease_duration_ticks: self.lease_duration_ticks,
            seed: self.seed,
            limits,
            rules,
        })
    }

    /// The limits that engines set for this configuration.
    pub fn limits_for_engines(&self) -> Limits {
        Limits::for_engines(
            self.nodes.len(),
            usize::try_from(self.log_retention_entries).unwrap_or(usize::MAX),
            self.replication_delay_ticks,
        )
    }

    /// The id of the node of that name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|other| other == name).map(NodeId::new)
    }
}
