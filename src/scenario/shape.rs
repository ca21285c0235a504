//! The shapes of JSON that files may have, before names are looked up and rules are checked.

use crate::scenario::bytes::Bytes;
use serde::Deserialize;

/// A scenario file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawScenario {
    pub(crate) format: String,
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) model: Option<String>,
    #[serde(default)]
    pub(crate) variant: Option<String>,
    #[serde(default)]
    pub(crate) without: Vec<String>,
    #[serde(default)]
    pub(crate) expect: Option<RawExpectation>,
    #[serde(default)]
    pub(crate) found: Option<RawFound>,
    pub(crate) config: RawConfiguration,
    pub(crate) ops: Vec<RawOperation>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawExpectation {
    pub(crate) verdict: String,
    #[serde(default)]
    pub(crate) invariant: Option<String>,
    #[serde(default)]
    pub(crate) operation: Option<usize>,
    #[serde(default)]
    pub(crate) phase: Option<String>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFound {
    pub(crate) seed: u64,
    pub(crate) sequence: u64,
}

/// What is not given takes the reference simulator's default.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawConfiguration {
    pub(crate) nodes: Vec<String>,
    #[serde(default)]
    pub(crate) leader: Option<String>,
    #[serde(default)]
    pub(crate) min_insync_replicas: Option<i64>,
    #[serde(default)]
    pub(crate) replica_lag_timeout: Option<i64>,
    #[serde(default)]
    pub(crate) log_retention: Option<i64>,
    #[serde(default)]
    pub(crate) replication_delay: Option<i64>,
    #[serde(default)]
    pub(crate) ack_timeout: Option<i64>,
    #[serde(default)]
    pub(crate) lease_duration: Option<i64>,
    #[serde(default)]
    pub(crate) seed: Option<u64>,
}

/// An operation with any of the fields that operations have.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawOperation {
    pub(crate) op: String,
    #[serde(default)]
    pub(crate) key: Option<Bytes>,
    #[serde(default)]
    pub(crate) value: Option<Bytes>,
    #[serde(default)]
    pub(crate) ack: Option<String>,
    #[serde(default)]
    pub(crate) level: Option<String>,
    #[serde(default)]
    pub(crate) node: Option<String>,
    #[serde(default)]
    pub(crate) peer: Option<String>,
    #[serde(default)]
    pub(crate) message: Option<usize>,
    #[serde(default)]
    pub(crate) ticks: Option<u32>,
    #[serde(default)]
    pub(crate) slow: Option<bool>,
    #[serde(default)]
    pub(crate) lose_unfsynced: Option<bool>,
}
