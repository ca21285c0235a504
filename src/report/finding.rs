//! What a search found: shrunk scenarios under names of their own, saved without loss.

use crate::files::save_beside;
use crate::isr::{GroupConfiguration, IsrModel, Operation, Settings};
use crate::run::Failure;
use crate::scenario::{Expectation, Found, Scenario, ScenarioNames};
use crate::search::shrink::{Case, Shrinker, Target};
use highwater_invariants::InvariantId;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A shrunk counterexample.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Names the finding: invariant, kind of evidence, shape of the operations.
    pub signature: String,
    /// The violated invariant.
    pub invariant: InvariantId,
    /// The kind of evidence.
    pub kind: &'static str,
    /// The scenario, with what is expected of it.
    pub scenario: Scenario,
}

impl Finding {
    /// The finding that `case` shows.
    pub fn new(case: &Case<IsrModel>, found: Option<Found>) -> Self {
        let mut scenario = scenario_of(&case.settings, &case.operations);
        scenario.found = found;
        Self::of(scenario, &case.failure)
    }

    /// The finding that `case` shows, in the words of the scenario that it was shrunk from.
    /// The shrinker must have kept the names.
    pub fn within(mut scenario: Scenario, case: &Case<IsrModel>) -> Self {
        for &node in &case.removed_nodes {
            scenario.configuration.nodes.remove(node);
            scenario.names.remove_node(node);
        }
        scenario.settings = case.settings;
        scenario.configuration = configuration_of(&case.settings, &scenario.configuration.nodes);
        scenario.operations.clone_from(&case.operations);
        for operation in &case.operations {
            name(operation, &mut scenario.names);
        }
        Self::of(scenario, &case.failure)
    }

    /// What is left of operations that fail like this, when they are shrunk as a search would. `None`
    /// if they do not.
    pub fn shrunk(
        settings: &Settings,
        operations: &[Operation],
        failure: &Failure,
    ) -> Option<Self> {
        let model = IsrModel::default();
        let mut shrinker = Shrinker::new(&model, Target::of(failure), || true);
        Some(Self::new(&shrinker.shrink(settings, operations)?, None))
    }

    /// The finding that `scenario` is, whose operations fail like this.
    pub fn of(mut scenario: Scenario, failure: &Failure) -> Self {
        scenario.expectation = Some(Expectation::of(failure));
        let signature = signature_of(&scenario.operations, failure);
        let kind = failure.violation.evidence.kind();
        Self { signature, invariant: failure.invariant(), kind, scenario }
    }

    /// Invariant and kind of evidence, whatever the operations.
    pub fn kind_of_violation(&self) -> String {
        format!("{}-{}", self.invariant.name(), self.kind)
    }

    /// The name of the finding's file: its signature, and a digest of its content, so that no two
    /// findings ever share a name.
    pub fn file_name(&self) -> String {
        format!("{}.json", self.file_stem())
    }

    fn file_stem(&self) -> String {
        let digest = xxh3_64(self.scenario.to_json().as_bytes()) >> 48;
        format!("{}-{digest:04x}", self.signature)
    }

    /// Writes the finding into `folder` and returns the file. A file of that name with other content
    /// is never overwritten: then the new one gets a number.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub fn save(&self, folder: &Path) -> std::io::Result<PathBuf> {
        save_beside(folder, &self.file_stem(), ".json", self.scenario.to_json().as_bytes())
    }
}

/// Invariant, kind of evidence, and a digest of the kinds of operations in order.
fn signature_of(operations: &[Operation], failure: &Failure) -> String {
    let shape: Vec<_> = operations.iter().map(|operation| operation.kind()).collect();
    let kind = failure.violation.evidence.kind();
    let digest = xxh3_64(shape.join(" ").as_bytes()) >> 48;
    format!("{}-{kind}-{digest:04x}", failure.invariant().name())
}

/// A scenario of generated operations: nodes `node-1`, keys `k0`, values `v1` and so on.
pub(crate) fn scenario_of(settings: &Settings, operations: &[Operation]) -> Scenario {
    let nodes: Vec<_> = (1..=settings.nodes).map(|number| format!("node-{number}")).collect();
    let mut names = ScenarioNames::new(nodes.clone());
    for operation in operations {
        name(operation, &mut names);
    }
    Scenario {
        name: String::new(),
        configuration: configuration_of(settings, &nodes),
        settings: *settings,
        operations: operations.to_vec(),
        names,
        expectation: None,
        found: None,
    }
}

/// Gives key and value of an operation names, if they have none.
fn name(operation: &Operation, names: &mut ScenarioNames) {
    if let Some(key) = operation.key() {
        names.name_keys_through(key);
    }
    if let Some(value) = operation.value() {
        names.name_values_through(value);
    }
}

/// The configuration that `settings` are, with the first of `nodes` for names.
fn configuration_of(settings: &Settings, nodes: &[String]) -> GroupConfiguration {
    GroupConfiguration {
        nodes: nodes[..settings.nodes].to_vec(),
        leader: Some(nodes[settings.leader.index()].clone()),
        min_insync_replicas: settings.min_insync_replicas as u64,
        replica_lag_timeout_ticks: settings.replica_lag_timeout_ticks,
        log_retention_entries: settings.log_retention_entries as u64,
        replication_delay_ticks: settings.replication_delay_ticks,
        ack_timeout_ticks: settings.ack_timeout_ticks,
        lease_duration_ticks: settings.lease_duration_ticks,
        seed: settings.seed,
    }
}
