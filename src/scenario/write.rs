//! Writing : one operation a line, so that people can read
//! it and diffs are small.

use crate::isr::{GroupConfiguration, Guard, IsrModel, Rules};
use crate::model::Model;
use crate::run::{Failure, Phase};
use crate::scenario::operation_json::operation_json;
use crate::scenario::{Expectation, FORMAT, Found, Scenario, phase_name};
use serde_json::{Value, json};

/// A scenario that is handed out as a file.
pub trait ScenarioFile: Clone {
    /// The content of the file. Equal scenarios give equal bytes.
    fn to_json(&self) -> String;

    /// Says that it fails like this.
    fn expect(&mut self, failure: &Failure);

    /// The kinds of its operations, in order.
    fn kinds(&self) -> Vec<&'static str>;
}

/// The fields of a scenario file, a line each.
#[derive(Debug, Default)]
pub(crate) struct Fields(String);

impl Fields {
    pub(crate) fn add(&mut self, name: &str, value: &Value) {
        self.0.push_str(&format!("  {}: {value},\n", json!(name)));
    }

    /// The whole file.
    pub(crate) fn with_operations(self, operations: impl Iterator<Item = Value>) -> String {
        let operations: Vec<_> = operations.map(|operation| format!("    {operation}")).collect();
        let list = match operations.join(",\n") {
            none if none.is_empty() => "[]".into(),
            lines => format!("[\n{lines}\n  ]"),
        };
        format!("{{\n{}  \"ops\": {list}\n}}\n", self.0)
    }
}

impl Scenario {
    /// The content of a scenario file. Equal scenarios give equal bytes.
    pub fn to_json(&self) -> String {
        let mut fields = Fields::default();
        fields.add("format", &json!(FORMAT));
        if !self.name.is_empty() {
            fields.add("name", &json!(self.name));
        }
        fields.add("model", &json!(IsrModel::NAME));
        let Rules { variant, without } = self.settings.rules;
        fields.add("variant", &json!(variant.name()));
        if !without.is_empty() {
            fields.add("without", &without.iter().map(Guard::name).collect());
        }
        if let Some(expectation) = self.expectation {
            fields.add("expect", &expectation.to_json());
        }
        if let Some(found) = self.found {
            fields.add("found", &found.to_json());
        }
        fields.add("config", &configuration_json(&self.configuration));
        let operations = self.operations.iter();
        fields.with_operations(operations.map(|&one| operation_json(one, &self.names)))
    }
}

impl ScenarioFile for Scenario {
    fn to_json(&self) -> String {
        Self::to_json(self)
    }

    fn expect(&mut self, failure: &Failure) {
        self.expectation = Some(Expectation::of(failure));
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.operations.iter().map(|operation| operation.kind()).collect()
    }
}

impl Found {
    /// Its JSON, as in scenario files.
    pub(crate) fn to_json(self) -> Value {
        json!({"seed": self.seed, "sequence": self.sequence})
    }
}

impl Expectation {
    /// The JSON of an expectation, as in scenario files.
    pub fn to_json(self) -> Value {
        match self {
            Self::Clean => json!({"verdict": "clean"}),
            Self::Violated { invariant, operation, phase } => {
                let mut json = json!({
                    "verdict": "violated",
                    "invariant": invariant.name(),
                    "operation": operation,
                });
                if phase != Phase::Operations {
                    json["phase"] = json!(phase_name(phase));
                }
                json
            }
        }
    }
}

/// The JSON of a configuration, as in scenario files.
pub(crate) fn configuration_json(configuration: &GroupConfiguration) -> Value {
    json!({
        "nodes": configuration.nodes,
        "leader": configuration.leader,
        "min_insync_replicas": configuration.min_insync_replicas,
        "replica_lag_timeout": configuration.replica_lag_timeout_ticks,
        "log_retention": configuration.log_retention_entries,
        "replication_delay": configuration.replication_delay_ticks,
        "ack_timeout": configuration.ack_timeout_ticks,
        "lease_duration": configuration.lease_duration_ticks,
        "seed": configuration.seed,
    })
}
