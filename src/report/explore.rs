//! What an exploration found out, in words and as JSON.

use crate::explore::{Ended, Exploration, Explored};
use crate::isr::{IsrModel, Outcome};
use crate::model::Model;
use crate::report::finding::scenario_of;
use crate::report::{Finding, Replay, operation_in_words};
use crate::scenario::Scenario;
use highwater_invariants::{InvariantId, Selection};
use serde_json::{Map, Value, json};

/// A finished exploration of the model `isr`.
#[derive(Debug)]
pub struct ExploreReport<'e> {
    exploration: &'e Exploration<'e, IsrModel>,
    explored: &'e Explored<IsrModel>,
    /// Whether the user stopped it, rather than time.
    was_stopped: bool,
}

impl<'e> ExploreReport<'e> {
    /// A report of what `exploration` found out.
    pub fn of(
        exploration: &'e Exploration<'e, IsrModel>,
        explored: &'e Explored<IsrModel>,
        was_stopped: bool,
    ) -> Self {
        Self { exploration, explored, was_stopped }
    }

    /// One word.
    pub fn verdict(&self) -> &'static str {
        match self.explored.ended {
            _ if !self.explored.counterexamples.is_empty() => "violated",
            Ended::Exhausted if self.explored.is_clean() => "exhausted",
            Ended::Exhausted => "undecided",
            Ended::Interrupted if self.was_stopped => "interrupted",
            _ => "budget reached",
        }
    }

    /// The counterexamples, as scenarios.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |one: &crate::explore::Counterexample<IsrModel>| {
            Finding::of(scenario_of(&self.exploration.settings, &one.operations), &one.failure)
        };
        self.explored.counterexamples.iter().map(finding).collect()
    }

    /// Classes of operations that the bounds offer and that never applied.
    fn never_applied(&self) -> Vec<&'static str> {
        let outcomes = IsrModel::OUTCOMES.len();
        let applied = |kind: usize| {
            let counts = &self.explored.counts.outcomes[kind * outcomes..(kind + 1) * outcomes];
            let is_refusal = |name: &str| name.starts_with("refused:");
            let counts = Outcome::KINDS.iter().zip(counts);
            counts.filter(|(name, _)| !is_refusal(name)).any(|(_, &count)| count > 0)
        };
        let kinds = (0..IsrModel::KINDS.len()).filter(|&kind| self.exploration.bounds.offers(kind));
        kinds.filter(|&kind| !applied(kind)).map(|kind| IsrModel::KINDS[kind]).collect()
    }

    fn not_tested(&self) -> Vec<&'static str> {
        let is_open = |invariant: &InvariantId| {
            self.exploration.selection.contains(*invariant)
                && self.explored.counts.tested[*invariant as usize] == 0
        };
        InvariantId::ALL.into_iter().filter(is_open).map(InvariantId::name).collect()
    }

    /// Everything, for people.
    pub fn text(&self) -> String {
        let explored = self.explored;
        let mut text = String::new();
        for finding in self.findings() {
            text.push_str(&Replay::of(&finding.scenario, Selection::ALL).text_of_the_expected());
            let operations = finding.scenario.operations.len();
            text.push_str(&format!(
                "\nNo sequence of fewer than {operations} operations within the bounds violates {}.\n\n",
                finding.invariant.name()
            ));
        }
        text.push_str(&format!(
            "{} states visited, {} generated, depth {} (the initial state counts 1)\n",
            explored.distinct(),
            explored.generated(),
            explored.levels.len()
        ));
        let levels: Vec<_> = explored.levels.iter().map(u64::to_string).collect();
        text.push_str(&format!("states per level: {}\n", levels.join(" ")));
        text.push_str(&format!("bounds: {}\n", self.exploration.bounds));
        text.push_str(&format!("configuration: {}\n", self.configuration()));
        let collisions = explored.collisions;
        text.push_str(&format!(
            "probability that a fingerprint hid a state: {:.1e} calculated, {:.1e} from the fingerprints\n",
            collisions.calculated, collisions.actual
        ));
        for (what, names) in [
            ("NEVER APPLIED", self.never_applied()),
            ("NOT TESTED", self.not_tested()),
            ("UNDECIDED (a limit of the checker was reached)", self.undecided()),
        ] {
            if !names.is_empty() {
                text.push_str(&format!("{what}: {}\n", names.join(", ")));
            }
        }
        if !self.exploration.second_phase {
            text.push_str("quiescence and recovery after each state were not looked at\n");
        }
        text.push_str(&format!("\n{}\n", self.conclusion()));
        text
    }

    fn configuration(&self) -> String {
        let scenario = scenario_of(&self.exploration.settings, &[]);
        crate::report::replay::configuration_in_words(&scenario.configuration)
    }

    fn undecided(&self) -> Vec<&'static str> {
        let undecided = self.explored.counts.undecided;
        let names = InvariantId::ALL.into_iter().filter(|&invariant| undecided.contains(invariant));
        names.map(InvariantId::name).collect()
    }

    /// What the verdict is, and what it is worth.
    fn conclusion(&self) -> String {
        let rules = self.exploration.settings.rules;
        let explored = self.explored;
        let left = explored.unexpanded;
        match explored.ended {
            _ if !explored.counterexamples.is_empty() => {
                let names =
                    explored.counterexamples.iter().map(|one| one.failure.invariant().name());
                format!("violated: {}, variant {rules}", names.collect::<Vec<_>>().join(", "))
            }
            Ended::Exhausted if explored.is_clean() => format!(
                "exhausted: clean, variant {rules}. Every state that operations within the bounds can lead to was checked."
            ),
            Ended::Exhausted if explored.counts.halted > 0 => format!(
                "undecided: a limit of the model cut off {} ways, variant {rules}",
                explored.counts.halted
            ),
            Ended::Exhausted => {
                format!("undecided: the checker gave up somewhere, variant {rules}")
            }
            ended => {
                let why = match ended {
                    Ended::States => "the most states",
                    Ended::Depth => "the most operations",
                    Ended::Memory => "the most memory",
                    _ if self.was_stopped => "stopped by the user",
                    _ => "the time",
                };
                format!(
                    "{} ({why}): nothing found in what was visited, variant {rules}; \
                     {left} states were visited and not gone on from",
                    self.verdict()
                )
            }
        }
    }

    /// Everything, for programs.
    pub fn json(&self) -> Value {
        let explored = self.explored;
        let findings = self.findings();
        let counterexample = findings.first().map(|finding| {
            json!({
                "invariant": finding.invariant.name(),
                "ops": finding.scenario.operations.len(),
                "signature": finding.signature,
                "operations": words(&finding.scenario),
                "scenario": serde_json::from_str::<Value>(&finding.scenario.to_json()).ok(),
            })
        });
        let tested = InvariantId::ALL.into_iter().map(|invariant| {
            (invariant.name().to_owned(), json!(explored.counts.tested[invariant as usize]))
        });
        json!({
            "format": "highwater-explore/1",
            "verdict": self.verdict(),
            "model": IsrModel::NAME,
            "variant": self.exploration.settings.rules.to_string(),
            "bounds": self.exploration.bounds.to_string(),
            "distinct": explored.distinct(),
            "generated": explored.generated(),
            "depth": explored.levels.len(),
            "levels": explored.levels,
            "unexpanded": explored.unexpanded,
            "collision_probability": {
                "calculated": explored.collisions.calculated,
                "actual": explored.collisions.actual,
            },
            "counterexample": counterexample,
            "counterexamples": findings.len(),
            "tested": tested.collect::<Map<_, _>>(),
            "not_tested": self.not_tested(),
            "never_applied": self.never_applied(),
            "undecided": self.undecided(),
            "halted": explored.counts.halted,
            "bytes": explored.bytes,
        })
    }
}

fn words(scenario: &Scenario) -> Vec<String> {
    let operations = scenario.operations.iter();
    operations.map(|&operation| operation_in_words(operation, &scenario.names)).collect()
}
