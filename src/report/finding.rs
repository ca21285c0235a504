//! What a search found: a shrunk scenario under a name of its own, saved without loss.

use crate::isr::{GroupConfiguration, IsrModel, Operation, Settings, Variant};
use crate::run::Failure;
use crate::scenario::{Expectation, Found, Scenario, ScenarioNames};
use crate::search::shrink::Case;
use std::io::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A shrunk counterexample.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Names the finding: invariant, kind of evidence, shape of the operations.
    pub signature: String,
    /// How it fails.
    pub failure: Failure,
    /// The scenario, with what is expected of it.
    pub scenario: Scenario,
}

impl Finding {
    /// The finding that `case` shows.
    pub fn new(case: &Case<IsrModel>, variant: Variant, found: Found) -> Self {
        let mut scenario = scenario_of(&case.settings, &case.operations, variant);
        scenario.found = Some(found);
        Self::within(scenario, case)
    }

    /// The finding that `case` shows, in the words of the scenario that it was shrunk from.
    pub fn within(mut scenario: Scenario, case: &Case<IsrModel>) -> Self {
        scenario.settings = case.settings;
        scenario.configuration = configuration_of(&case.settings, &scenario.configuration.nodes);
        scenario.names.keep_nodes(case.settings.nodes);
        scenario.operations.clone_from(&case.operations);
        scenario.expectation = Some(Expectation::of(&case.failure));
        let signature = signature_of(&case.failure, &case.operations);
        Self { signature, failure: case.failure.clone(), scenario }
    }
}

/// Invariant, kind of evidence, and a digest of the kinds of operations in order.
fn signature_of(failure: &Failure, operations: &[Operation]) -> String {
    let shape: Vec<_> = operations.iter().map(|operation| operation.kind()).collect();
    let kind = failure.violation.evidence.kind();
    let digest = xxh3_64(shape.join(" ").as_bytes()) >> 32;
    format!("{}-{kind}-{digest:08x}", failure.invariant().name())
}

/// A scenario of generated operations: nodes `node-1`, keys `k0`, values `v1` and so on.
pub(crate) fn scenario_of(
    settings: &Settings,
    operations: &[Operation],
    variant: Variant,
) -> Scenario {
    let nodes: Vec<_> = (1..=settings.nodes).map(|number| format!("node-{number}")).collect();
    let mut names = ScenarioNames::new(nodes.clone());
    for operation in operations {
        let (key, value) = match *operation {
            Operation::Write { key, value, .. } | Operation::Submit { key, value, .. } => {
                (key, Some(value))
            }
            Operation::Read { key, .. } | Operation::LeaseRead { key, .. } => (key, None),
            _ => continue,
        };
        name_all_up_to(
            &mut names,
            usize::from(key.0) + 1,
            value.map_or(0, |value| value.index() + 1),
        );
    }
    Scenario {
        name: String::new(),
        variant,
        configuration: configuration_of(settings, &nodes),
        settings: *settings,
        operations: operations.to_vec(),
        names,
        expectation: None,
        found: None,
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

/// Ids are given in the order of first use, so naming them in order gives each its own number.
fn name_all_up_to(names: &mut ScenarioNames, keys: usize, values: usize) {
    for key in 0..keys {
        // Generated ids are small; a full interner leaves the rest unnamed, which is harmless.
        let _ = names.interner.key(format!("k{key}").as_bytes());
    }
    for value in 1..=values {
        let _ = names.interner.value(format!("v{value}").as_bytes());
    }
}

/// A file beside the one to be written, to be renamed when it is complete.
fn beside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".highwater-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    builder.tempfile_in(folder)
}

/// Writes `finding` into `folder`, under its signature, and returns the file. A file that is there
/// already with other content is never overwritten: the new one gets a number.
///
/// # Errors
/// The folder cannot be made or written.
pub fn save(finding: &Finding, folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let content = finding.scenario.to_json();
    for number in 1_u32.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let file = folder.join(format!("{}{suffix}.json", finding.signature));
        match std::fs::read(&file) {
            Ok(there) if there == content.as_bytes() => return Ok(file),
            Ok(_) => continue,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut beside = beside(folder)?;
        beside.write_all(content.as_bytes())?;
        match beside.persist_noclobber(&file) {
            Ok(_) => return Ok(file),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.error),
        }
    }
    Err(std::io::Error::other("no file name is left"))
}
