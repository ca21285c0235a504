//! Reading the scenario file format `isr-scenario/1`.

use crate::isr::{ConfigurationError, GroupConfiguration, Guard, Rules, Variant};
use crate::kip::KIP_FORMAT;
use crate::run::Phase;
use crate::scenario::error::{Place, ScenarioError};
use crate::scenario::names::ScenarioNames;
use crate::scenario::shape::{RawConfiguration, RawExpectation, RawFound, RawScenario};
use crate::scenario::{Expectation, FORMAT, Found, NUMBER_MAX, Scenario, phase_name};
use highwater_invariants::{InvariantId, Selection};
use serde::de::DeserializeOwned;
use std::path::Path;

type Problem = (Place, String);

/// The most operations of a scenario.
pub(crate) const OPERATIONS_MAX: usize = 10_000;

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// Names the file, the place in it and the reason. Nothing unknown is passed over: a field, an
    /// operation, a level, a node or a version that this build does not know is an error.
    pub fn read(file: &Path) -> Result<Self, ScenarioError> {
        let bytes = std::fs::read(file).map_err(|error| ScenarioError::unreadable(file, &error))?;
        Self::parse(file, &bytes)
    }

    /// Parses the content of a scenario file; `file` is for errors.
    ///
    /// # Errors
    /// As [`Scenario::read`].
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, ScenarioError> {
        let text = text_of(file, bytes)?;
        check_format(file, text, FORMAT)?;
        let raw: RawScenario = parse_json(file, text)?;
        resolve(raw).map_err(|(place, reason)| ScenarioError::new(file, place, reason))
    }
}

/// The text of a file that must be UTF-8 and not empty.
pub(crate) fn text_of<'b>(file: &Path, bytes: &'b [u8]) -> Result<&'b str, ScenarioError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = Place::of_byte(bytes, error.valid_up_to());
        ScenarioError::new(file, place, "not UTF-8")
    })?;
    if text.trim().is_empty() {
        return Err(ScenarioError::new(file, Place::of_byte(bytes, 0), "the file is empty"));
    }
    Ok(text)
}

/// One JSON value, and nothing after it.
pub(crate) fn parse_json<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, ScenarioError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| ScenarioError::json(file, error))?;
    json.end().map_err(|error| {
        let place = Place { line_and_column: (error.line(), error.column()), path: String::new() };
        ScenarioError::new(file, place, "something follows the end of the scenario")
    })?;
    Ok(value)
}

/// Looks at the format first, so that a file of another version is not blamed for its fields.
pub(crate) fn check_format(file: &Path, text: &str, known: &str) -> Result<(), ScenarioError> {
    #[derive(serde::Deserialize)]
    struct OnlyFormat {
        format: Option<serde_json::Value>,
    }
    let Ok(OnlyFormat { format: Some(format) }) = serde_json::from_str(text) else {
        return Ok(());
    };
    if format == known {
        return Ok(());
    }
    let reason = if format == KIP_FORMAT {
        format!(
            "{format} is of another model; a scenario of the model isr is wanted here, {known:?}"
        )
    } else {
        format!("unknown format {format}; this version of highwater reads {known:?}")
    };
    Err(ScenarioError::new(file, Place::at("format"), reason))
}

fn resolve(raw: RawScenario) -> Result<Scenario, Problem> {
    if raw.format != FORMAT {
        return Err((Place::at("format"), format!("unknown format {:?}", raw.format)));
    }
    if let Some(model) = raw.model.filter(|model| model != "isr") {
        return Err((Place::at("model"), format!("unknown model {model:?}; known is isr")));
    }
    let variant = match raw.variant {
        None => Variant::default(),
        Some(name) => Variant::from_name(&name).ok_or_else(|| {
            let known = Variant::ALL.map(Variant::name).join(", ");
            (Place::at("variant"), format!("unknown variant {name:?}; known are {known}"))
        })?,
    };
    let mut rules = Rules::of(variant);
    for (index, name) in raw.without.iter().enumerate() {
        let guard = Guard::from_name(name).filter(|&guard| variant.guards().has(guard));
        rules = rules.without(guard.ok_or_else(|| {
            let reason = format!("{name:?} is no guard of {variant}; see highwater list guards");
            (Place::at(format!("without[{index}]")), reason)
        })?);
    }
    let configuration = raw.config.resolve()?;
    let limits = configuration.limits_for_engines();
    let settings =
        configuration.check(rules, limits).map_err(|error| configuration_problem(&error))?;
    if raw.ops.len() > OPERATIONS_MAX {
        let reason = format!("{} operations are more than {OPERATIONS_MAX}", raw.ops.len());
        return Err((Place::at("ops"), reason));
    }
    let mut names = ScenarioNames::new(configuration.nodes.clone());
    let mut operations = Vec::with_capacity(raw.ops.len());
    for (index, raw) in raw.ops.iter().enumerate() {
        let operation = raw.resolve(&configuration.nodes, &mut names);
        operations.push(
            operation
                .map_err(|(field, reason)| (Place::at(format!("ops[{index}].{field}")), reason))?,
        );
    }
    let expectation =
        raw.expect.map(|raw| raw.resolve(operations.len(), Selection::ALL)).transpose()?;
    Ok(Scenario {
        name: raw.name.unwrap_or_default(),
        configuration,
        settings,
        operations,
        names,
        expectation,
        found: raw.found.map(Into::into),
    })
}

fn configuration_problem(error: &ConfigurationError) -> Problem {
    let path = match error {
        ConfigurationError::Nodes | ConfigurationError::TooManyNodes(_) => "config.nodes",
        ConfigurationError::Leader => "config.leader",
        ConfigurationError::MinInsyncReplicas => "config.min_insync_replicas",
        ConfigurationError::NotPositive => "config",
    };
    (Place::at(path), error.to_string())
}

impl RawConfiguration {
    fn resolve(self) -> Result<GroupConfiguration, Problem> {
        let default = GroupConfiguration::default();
        let number = |field: &str, given: Option<i64>, default: u64| match given {
            None => Ok(default),
            Some(number) => {
                u64::try_from(number).ok().filter(|&number| number <= NUMBER_MAX).ok_or_else(|| {
                    let reason = format!("{number} is out of range 0 to {NUMBER_MAX}");
                    (Place::at(format!("config.{field}")), reason)
                })
            }
        };
        Ok(GroupConfiguration {
            min_insync_replicas: number(
                "min_insync_replicas",
                self.min_insync_replicas,
                default.min_insync_replicas,
            )?,
            replica_lag_timeout_ticks: number(
                "replica_lag_timeout",
                self.replica_lag_timeout,
                default.replica_lag_timeout_ticks,
            )?,
            log_retention_entries: number(
                "log_retention",
                self.log_retention,
                default.log_retention_entries,
            )?,
            replication_delay_ticks: number(
                "replication_delay",
                self.replication_delay,
                default.replication_delay_ticks,
            )?,
            ack_timeout_ticks: number("ack_timeout", self.ack_timeout, default.ack_timeout_ticks)?,
            lease_duration_ticks: self.lease_duration.unwrap_or(default.lease_duration_ticks),
            seed: self.seed.unwrap_or(default.seed),
            nodes: self.nodes,
            leader: self.leader,
        })
    }
}

impl From<RawFound> for Found {
    fn from(RawFound { seed, sequence }: RawFound) -> Self {
        Self { seed, sequence }
    }
}

impl RawExpectation {
    /// What is expected of so many operations of a model that `applicable` speak of.
    pub(crate) fn resolve(
        self,
        operations: usize,
        applicable: Selection,
    ) -> Result<Expectation, Problem> {
        let at = |field: &str| Place::at(format!("expect.{field}"));
        match self.verdict.as_str() {
            "clean"
                if self.invariant.is_none() && self.operation.is_none() && self.phase.is_none() =>
            {
                Ok(Expectation::Clean)
            }
            "clean" => {
                Err((at("verdict"), "\"clean\" takes no invariant, operation or phase".into()))
            }
            "violated" => {
                let name = self
                    .invariant
                    .ok_or((at("invariant"), "missing field \"invariant\"".into()))?;
                let known = InvariantId::from_name(&name);
                let invariant = known.filter(|&one| applicable.contains(one)).ok_or_else(|| {
                    let which =
                        if known.is_some() { "does not speak of this model" } else { "is unknown" };
                    let reason =
                        format!("invariant {name:?} {which}; see highwater list invariants");
                    (at("invariant"), reason)
                })?;
                let operation = self
                    .operation
                    .ok_or((at("operation"), "missing field \"operation\"".into()))?;
                let phase_is_first = matches!(self.phase.as_deref(), None | Some("operations"));
                if operation == 0 && phase_is_first {
                    return Err((at("operation"), "operations are numbered from 1".into()));
                }
                if operation > operations {
                    let reason = format!("{operation} is beyond the last operation, {operations}");
                    return Err((at("operation"), reason));
                }
                let phase = self.phase.as_deref().unwrap_or("operations");
                let known = [Phase::Operations, Phase::Quiescence, Phase::Recovery];
                let phase = known.into_iter().find(|&known| phase_name(known) == phase).ok_or_else(|| {
                    (at("phase"), format!("unknown phase {phase:?}; known are operations, quiescence, recovery"))
                })?;
                Ok(Expectation::Violated { invariant, operation, phase })
            }
            other => Err((
                at("verdict"),
                format!("unknown verdict {other:?}; known are clean, violated"),
            )),
        }
    }
}
