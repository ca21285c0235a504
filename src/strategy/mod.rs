//! proptest strategies for configurations, operations and whole scenarios, so that property tests
//! of other models can use them.
//!
//! ```
//! use highwater::invariants::{InvariantId, Selection};
//! use highwater::isr::IsrModel;
//! use highwater::run::run;
//! use highwater::strategy;
//! use proptest::prelude::*;
//!
//! proptest! {
//!     # #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]
//!     // (with #[test] in a test module)
//!     fn no_packet_of_another_epoch_is_obeyed(case in strategy::scenario(1..=20)) {
//!         let selection = Selection::only(InvariantId::StaleEpochRejection);
//!         let verdict = run(&IsrModel::default(), &case.settings, &case.operations, selection);
//!         prop_assert!(verdict.failures.is_empty(), "{:?}", verdict.failures);
//!     }
//! }
//! # no_packet_of_another_epoch_is_obeyed();
//! ```
//!
//! [`walk`] draws sequences for the models of Kafka's history, or any other.
//!
//! [`IsrReference`] is the partition as the reference of a state machine test.
//!
//! A failure that proptest finds can be kept as a readable scenario: [`persist`].

mod state_machine;
mod walk;

pub use state_machine::IsrReference;
pub use walk::walk;

use crate::isr::{Limits, Operation, Rules, Settings};
use crate::report::Finding;
use crate::run::Failure;
use highwater_invariants::{AckLevel, KeyId, NodeId, ReadLevel, ValueId};
use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A configuration and operations for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The configuration.
    pub settings: Settings,
    /// What is done, in order.
    pub operations: Vec<Operation>,
}

/// Configurations with small numbers, which shrink towards two nodes and the smallest numbers.
///
/// They follow the published rules; map them to others with `prop_map`.
pub fn settings() -> impl Strategy<Value = Settings> {
    let replicas = (2_usize..=5).prop_flat_map(|nodes| (Just(nodes), 1..=nodes.min(3)));
    let numbers = (
        1_u64..=6,
        1_usize..=16,
        1_u64..=3,
        prop::sample::select(vec![1_u64, 2, 3, 5, 8, 32]),
        0_i64..=8,
    );
    (replicas, numbers).prop_map(|((nodes, min_insync_replicas), numbers)| {
        let (lag_timeout, retention, delay, ack_timeout, lease) = numbers;
        Settings {
            nodes,
            leader: NodeId::new(0),
            min_insync_replicas,
            replica_lag_timeout_ticks: lag_timeout,
            log_retention_entries: retention,
            replication_delay_ticks: delay,
            ack_timeout_ticks: ack_timeout,
            lease_duration_ticks: lease,
            seed: 0,
            limits: Limits::for_engines(nodes, retention, delay),
            rules: Rules::default(),
        }
    })
}

/// Operations of any kind for a group of `nodes`, which shrink towards a write at all ISR members.
///
/// # Panics
/// If `nodes` is 0 or more than a partition can have.
pub fn operation(nodes: usize) -> impl Strategy<Value = Operation> {
    assert!((1..=highwater_invariants::MAX_NODES).contains(&nodes), "{nodes} nodes");
    let node = move || (0..nodes).prop_map(NodeId::new);
    let key = || (0_u16..3).prop_map(KeyId);
    let value = || (0_usize..64).prop_filter_map("ids are small", ValueId::from_index);
    let ack = || prop_oneof![3 => Just(AckLevel::AllIsr), 2 => Just(AckLevel::Leader)];
    let level =
        prop_oneof![Just(ReadLevel::Linearizable), Just(ReadLevel::Leader), Just(ReadLevel::Local)];
    let clients = prop_oneof![
        8 => (key(), value(), ack()).prop_map(|(key, value, ack)| Operation::Write { key, value, ack }),
        4 => (key(), value(), ack()).prop_map(|(key, value, ack)| Operation::Submit { key, value, ack }),
        3 => (key(), level).prop_map(|(key, level)| Operation::Read { key, level, node: None }),
        2 => (node(), key()).prop_map(|(node, key)| Operation::LeaseRead { node, key }),
    ];
    let time = prop_oneof![6 => Just(Operation::Tick), 1 => Just(Operation::RunUntilIdle)];
    let faults = prop_oneof![
        (node(), any::<bool>()).prop_map(|(node, slow)| Operation::SetReplicaSlow { node, slow }),
        node().prop_map(|node| Operation::Fsync { node }),
        (node(), any::<bool>())
            .prop_map(|(node, lose_unfsynced)| Operation::Crash { node, lose_unfsynced }),
        node().prop_map(|node| Operation::Restart { node }),
        node().prop_map(|node| Operation::Isolate { node }),
        node().prop_map(|node| Operation::Heal { node }),
        node().prop_map(|node| Operation::ControllerElect { node }),
    ];
    let message = || 0_usize..3;
    let network = prop_oneof![
        message().prop_map(|message| Operation::DropMessage { message }),
        message().prop_map(|message| Operation::DuplicateMessage { message }),
        (message(), 1_u64..4)
            .prop_map(|(message, ticks)| Operation::DelayMessage { message, ticks }),
        message().prop_map(|message| Operation::ReorderMessage { message }),
        (node(), node()).prop_map(|(node, peer)| Operation::CutLink { node, peer }),
        (node(), node()).prop_map(|(node, peer)| Operation::HealLink { node, peer }),
    ];
    prop_oneof![6 => clients, 3 => time, 5 => faults, 1 => network]
}

/// A configuration, and between so many operations for it. Shrinking removes operations first.
pub fn scenario(operations: RangeInclusive<usize>) -> impl Strategy<Value = Case> {
    settings().prop_flat_map(move |settings| {
        let operations = vec(operation(settings.nodes), operations.clone());
        operations.prop_map(move |operations| Case { settings, operations })
    })
}

/// Keeps a failure that a property test found: shrinks `case` as a search would and writes it into
/// `folder` as a scenario that is replayed for ever after. The file.
///
/// # Errors
/// `case` does not fail like `failure`, or the folder cannot be written.
pub fn persist(case: &Case, failure: &Failure, folder: &Path) -> std::io::Result<PathBuf> {
    let finding = Finding::shrunk(&case.settings, &case.operations, failure);
    let finding =
        finding.ok_or_else(|| std::io::Error::other("the case does not fail like this"))?;
    finding.save(folder)
}
