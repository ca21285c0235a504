//! The scenario file format `kip-scenario/1`: of the models of this room, what `isr-scenario/1` is
//! of the model `isr`.

use crate::kip::stepwise::Stepwise;
use crate::model::Model;
use crate::run::{Failure, Verdict, run};
use crate::scenario::{
    Expectation, Fields, Found, OPERATIONS_MAX, Place, RawExpectation, RawFound, ScenarioError,
    ScenarioFile, check_format, parse_json, text_of,
};
use highwater_invariants::{InvariantId, Selection};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// The format that this build reads and writes.
pub const KIP_FORMAT: &str = "kip-scenario/1";

/// Steps, and what is expected of them.
#[derive(Clone, Debug)]
pub struct StepScenario<M: Stepwise> {
    /// A name for people; empty if it has none.
    pub name: String,
    /// Constants and rules.
    pub settings: M::Settings,
    /// What is done, in order.
    pub operations: Vec<M::Operation>,
    /// What is expected; `None` if the file does not say.
    pub expectation: Option<Expectation>,
    /// Where it comes from, if a search found it.
    pub found: Option<Found>,
}

/// The shape of a file; steps are looked at one by one, so that an error can name its place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
struct RawScenario<M: Stepwise> {
    #[serde(rename = "format")]
    _format: String,
    #[serde(default)]
    name: String,
    model: String,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    expect: Option<RawExpectation>,
    #[serde(default)]
    found: Option<RawFound>,
    config: M::Configuration,
    ops: Vec<M::Operation>,
}

impl<M: Stepwise> StepScenario<M> {
    /// Operations of which nothing is expected.
    pub fn new(settings: M::Settings, operations: Vec<M::Operation>) -> Self {
        Self { name: String::new(), settings, operations, expectation: None, found: None }
    }

    /// Parses the content of a scenario file; `file` is for errors.
    ///
    /// # Errors
    /// Names the file, the place in it and the reason. Nothing unknown is passed over.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, ScenarioError> {
        let text = text_of(file, bytes)?;
        check_format(file, text, KIP_FORMAT)?;
        let raw: RawScenario<M> = parse_json(file, text)?;
        let at = |path: String, reason: String| ScenarioError::new(file, Place::at(path), reason);
        let settings = M::settings(&raw.model, &raw.without, raw.config)
            .map_err(|(path, reason)| at(path, reason))?;
        if raw.ops.len() > OPERATIONS_MAX {
            let reason = format!("{} operations are more than {OPERATIONS_MAX}", raw.ops.len());
            return Err(at("ops".into(), reason));
        }
        for (index, &step) in raw.ops.iter().enumerate() {
            let checked = M::check_step(&settings, step);
            checked.map_err(|reason| at(format!("ops[{index}]"), reason))?;
        }
        let expectation = raw.expect.map(|raw_expectation| {
            raw_expectation
                .resolve(raw.ops.len(), M::APPLICABLE)
                .map_err(|(place, reason)| ScenarioError::new(file, place, reason))
        });
        Ok(Self {
            name: raw.name,
            settings,
            operations: raw.ops,
            expectation: expectation.transpose()?,
            found: raw.found.map(Into::into),
        })
    }

    /// Whether it expects this invariant to be violated.
    pub(crate) fn is_about(&self, other: InvariantId) -> bool {
        matches!(self.expectation, Some(Expectation::Violated { invariant, .. }) if invariant == other)
    }

    /// Runs it.
    pub fn run(&self, selection: Selection) -> Verdict {
        run(&M::default(), &self.settings, &self.operations, selection)
    }
}

impl<M: Stepwise> ScenarioFile for StepScenario<M> {
    fn to_json(&self) -> String {
        let mut fields = Fields::default();
        fields.add("format", &json!(KIP_FORMAT));
        if !self.name.is_empty() {
            fields.add("name", &json!(self.name));
        }
        fields.add("model", &json!(M::name_of(&self.settings)));
        let without = M::without(&self.settings);
        if !without.is_empty() {
            fields.add("without", &json!(without));
        }
        if let Some(expectation) = self.expectation {
            fields.add("expect", &expectation.to_json());
        }
        if let Some(found) = self.found {
            fields.add("found", &found.to_json());
        }
        fields.add("config", &json!(M::configuration(&self.settings)));
        fields.with_operations(self.operations.iter().map(|&step| step_json::<M>(step)))
    }

    fn expect(&mut self, failure: &Failure) {
        self.expectation = Some(Expectation::of(failure));
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.operations.iter().map(|&step| <M as Model>::KINDS[M::kind(step)]).collect()
    }
}

/// A step as in files.
pub(crate) fn step_json<M: Stepwise>(step: M::Operation) -> Value {
    // A step is a few numbers and names.
    serde_json::to_value(step).unwrap_or_default()
}
