//! Writing the scenario file format `isr-scenario/1`: one operation a line, so that people can read
//! it and diffs are small.

use crate::isr::{GroupConfiguration, Guard, IsrModel, Rules};
use crate::model::Model;
use crate::run::Phase;
use crate::scenario::operation_json::operation_json;
use crate::scenario::{Expectation, FORMAT, Scenario, phase_name};
use serde_json::{Value, json};
use std::fmt::Write;

impl Scenario {
    /// The content of a scenario file. Equal scenarios give equal bytes.
    pub fn to_json(&self) -> String {
        let mut text = String::from("{\n");
        let mut field = |name: &str, value: &Value| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {}: {value},", json!(name));
        };
        field("format", &json!(FORMAT));
        if !self.name.is_empty() {
            field("name", &json!(self.name));
        }
        field("model", &json!(IsrModel::NAME));
        let Rules { variant, without } = self.settings.rules;
        field("variant", &json!(variant.name()));
        if !without.is_empty() {
            field("without", &without.iter().map(Guard::name).collect());
        }
        if let Some(expectation) = self.expectation {
            field("expect", &expectation.to_json());
        }
        if let Some(found) = self.found {
            field("found", &json!({"seed": found.seed, "sequence": found.sequence}));
        }
        field("config", &configuration_json(&self.configuration));
        let operations = self
            .operations
            .iter()
            .map(|&operation| format!("    {}", operation_json(operation, &self.names)));
        let operations: Vec<_> = operations.collect();
        if operations.is_empty() {
            text.push_str("  \"ops\": []\n}\n");
        } else {
            let _ = write!(text, "  \"ops\": [\n{}\n  ]\n}}\n", operations.join(",\n"));
        }
        text
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
