//! What a search found: shrunk scenarios under names of their own, saved without loss.

use crate::files::save_beside;
use crate::isr::{GroupConfiguration, IsrModel, Operation, Settings};
use crate::kip::{StepScenario, Stepwise};
use crate::model::Simplify;
use crate::run::Failure;
use crate::scenario::{Found, Scenario, ScenarioFile, ScenarioNames};
use crate::search::shrink::{Case, Shrinker, Target};
use highwater_invariants::InvariantId;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A model whose counterexamples are handed out as scenario files.
pub trait Reported:
    Simplify<Settings: Send + Sync, State: Send + Sync, Operation: Send + Sync> + Sized + Send + Sync
{
    /// Its scenario files.
    type File: ScenarioFile;

    /// A scenario of which nothing is expected.
    fn scenario(
        settings: &Self::Settings,
        operations: &[Self::Operation],
        found: Option<Found>,
    ) -> Self::File;

    /// `scenario`, shrunk to `case` by a shrinker that kept the names, in the words that it had.
    fn within(scenario: Self::File, case: &Case<Self>) -> Self::File;

    /// A model that offers what these operations are made of.
    fn offering(operations: &[Self::Operation]) -> Self;
}

/// A shrunk counterexample.
#[derive(Clone, Debug)]
pub struct Finding<F = Scenario> {
    /// Names the finding: invariant, kind of evidence, shape of the operations.
    pub signature: String,
    /// The violated invariant.
    pub invariant: InvariantId,
    /// The kind of evidence.
    pub kind: &'static str,
    /// The scenario, with what is expected of it.
    pub scenario: F,
}

impl Finding {
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
}

impl<F: ScenarioFile> Finding<F> {
    /// The finding that `case` shows.
    pub fn new<M: Reported<File = F>>(case: &Case<M>, found: Option<Found>) -> Self {
        Self::of(M::scenario(&case.settings, &case.operations, found), &case.failure)
    }

    /// The finding that `case` shows, in the words of the scenario that it was shrunk from.
    /// The shrinker must have kept the names.
    pub fn within<M: Reported<File = F>>(scenario: F, case: &Case<M>) -> Self {
        Self::of(M::within(scenario, case), &case.failure)
    }

    /// The finding that `scenario` is, whose operations fail like this.
    pub fn of(mut scenario: F, failure: &Failure) -> Self {
        scenario.expect(failure);
        let signature = signature_of(&scenario.kinds(), failure);
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

    /// The same without its extension.
    pub fn file_stem(&self) -> String {
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

impl Reported for IsrModel {
    type File = Scenario;

    fn scenario(settings: &Settings, operations: &[Operation], found: Option<Found>) -> Scenario {
        Scenario { found, ..scenario_of(settings, operations) }
    }

    fn within(mut scenario: Scenario, case: &Case<Self>) -> Scenario {
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
        scenario
    }

    fn offering(operations: &[Operation]) -> Self {
        Self::offering(operations)
    }
}

impl<M: Stepwise> Reported for M {
    type File = StepScenario<M>;

    fn scenario(
        settings: &M::Settings,
        operations: &[M::Operation],
        found: Option<Found>,
    ) -> StepScenario<M> {
        StepScenario { found, ..StepScenario::new(*settings, operations.to_vec()) }
    }

    /// Replicas have no names of their own.
    fn within(scenario: StepScenario<M>, case: &Case<M>) -> StepScenario<M> {
        let operations = case.operations.clone();
        StepScenario { settings: case.settings, operations, ..scenario }
    }

    fn offering(_operations: &[M::Operation]) -> M {
        M::default()
    }
}

/// Invariant, kind of evidence, and a digest of the kinds of operations in order.
fn signature_of(kinds: &[&'static str], failure: &Failure) -> String {
    let kind = failure.violation.evidence.kind();
    let digest = xxh3_64(kinds.join(" ").as_bytes()) >> 48;
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
