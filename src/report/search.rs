//! What a search did and found.

use crate::isr::{IsrModel, Variant};
use crate::model::Model;
use crate::report::Finding;
use crate::search::{Ended, Results, Tally};
use highwater_invariants::InvariantId;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// A finished search.
#[derive(Debug)]
pub struct SearchReport<'r> {
    /// The seed.
    pub seed: u64,
    /// The rules that the model followed.
    pub variant: Variant,
    /// What was done, and what was hit.
    pub results: &'r Results,
    /// Shrunk findings, and the files that they were written to.
    pub findings: Vec<(&'r Finding, &'r Path)>,
    /// How long the search took, shrinking not included.
    pub searched: Duration,
}

impl SearchReport<'_> {
    /// `violated` or `clean`; `interrupted` if it was stopped with nothing found.
    pub fn verdict(&self) -> &'static str {
        match (self.findings.is_empty(), self.results.ended) {
            (false, _) => "violated",
            (true, Ended::Interrupted) => "interrupted",
            (true, Ended::Complete) => "clean",
        }
    }

    /// The report as JSON. Only what is under `timing` differs between runs of one seed.
    pub fn json(&self) -> Value {
        let tally = &self.results.tally;
        let seconds = self.searched.as_secs_f64();
        let findings = self.findings.iter().map(|(finding, file)| {
            let scenario: Value =
                serde_json::from_str(&finding.scenario.to_json()).unwrap_or(Value::Null);
            json!({
                "signature": finding.signature,
                "invariant": finding.failure.invariant().name(),
                "operation": finding.failure.operation,
                "count": 1,
                "file": file.display().to_string(),
                "scenario": scenario,
            })
        });
        json!({
            "verdict": self.verdict(),
            "variant": self.variant.name(),
            "seed": self.seed,
            "sequences": tally.sequences,
            "operations": tally.operations,
            "findings": findings.collect::<Vec<_>>(),
            "coverage": coverage_json(tally),
            "timing": {"seconds": seconds, "operations_per_second": tally.operations as f64 / seconds},
        })
    }

    /// The report in words.
    pub fn text(&self) -> String {
        let tally = &self.results.tally;
        let mut text = String::new();
        for (_, file) in &self.findings {
            let file = file.display();
            text.push_str(&format!("\nwritten to {file}\nreplay with: highwater replay {file}\n"));
        }
        let untested: Vec<_> = InvariantId::ALL
            .into_iter()
            .filter(|&invariant| tally.tested[invariant as usize] == 0)
            .map(InvariantId::name)
            .collect();
        if !untested.is_empty() {
            text.push_str(&format!(
                "\nNOT TESTED (the premise never came up): {}\n",
                untested.join(", ")
            ));
        }
        let undecided: Vec<_> = InvariantId::ALL
            .into_iter()
            .filter(|&invariant| tally.undecided[invariant as usize] > 0)
            .map(|invariant| {
                format!("{} in {} sequences", invariant.name(), tally.undecided[invariant as usize])
            })
            .collect();
        if !undecided.is_empty() {
            text.push_str(&format!(
                "\nUNDECIDED (a limit of the checker was reached): {}\n",
                undecided.join(", ")
            ));
        }
        let rate = tally.operations as f64 / self.searched.as_secs_f64();
        text.push_str(&format!(
            "\n{}: variant {}, seed {}, {} sequences, {} operations in {:.1} s ({:.0} operations/s)\n",
            self.verdict(),
            self.variant,
            self.seed,
            tally.sequences,
            tally.operations,
            self.searched.as_secs_f64(),
            rate,
        ));
        text
    }
}

/// How often everything came up.
pub fn coverage_json(tally: &Tally) -> Value {
    let outcomes = IsrModel::OUTCOMES.len();
    let operations = IsrModel::KINDS.iter().enumerate().map(|(kind, name)| {
        let counts = &tally.outcomes[kind * outcomes..(kind + 1) * outcomes];
        let named = IsrModel::OUTCOMES.iter().zip(counts).filter(|&(_, &count)| count > 0);
        let answers: Map<_, _> =
            named.map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
        let generated: u64 = counts.iter().sum();
        ((*name).to_owned(), json!({"applied": generated, "outcomes": answers}))
    });
    let invariants = InvariantId::ALL.into_iter().map(|invariant| {
        let index = invariant as usize;
        let counts = json!({
            "tested": tally.tested[index],
            "violated_sequences": tally.violated[index],
            "undecided_sequences": tally.undecided[index],
        });
        (invariant.name().to_owned(), counts)
    });
    let branches = IsrModel::BRANCHES.iter().zip(tally.branches);
    json!({
        "operations": operations.collect::<Map<_, _>>(),
        "invariants": invariants.collect::<Map<_, _>>(),
        "branches": branches.map(|(name, count)| ((*name).to_owned(), json!(count))).collect::<Map<_, _>>(),
        "halted_sequences": tally.halted,
    })
}
