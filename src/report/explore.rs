//! What an exploration found out, in words and as JSON.

use crate::explore::{Counterexample, Ended, Exploration, Explored};
use crate::isr::IsrModel;
use crate::model::Model;
use crate::picture::{Picture, TEXT_WIDTH};
use crate::report::finding::scenario_of;
use crate::report::{Finding, operation_in_words};
use highwater_invariants::{InvariantId, Selection};
use serde_json::{Map, Value, json};

/// A counterexample as it is told.
#[derive(Clone, Debug)]
pub struct Told {
    /// What is violated.
    pub invariant: InvariantId,
    /// The operations, in words.
    pub operations: Vec<String>,
    /// All of it, for people, with the escape sequences of a terminal's colours.
    pub text: String,
    /// The scenario.
    pub scenario: Option<Value>,
}

/// What is explored, in words.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The model.
    pub model: String,
    /// The rules that it follows.
    pub rules: String,
    /// Its configuration.
    pub configuration: String,
    /// The invariants that speak of the model.
    pub applicable: Selection,
}

/// The counterexamples of an exploration of the model `isr`, as scenarios.
pub fn isr_findings(
    exploration: &Exploration<'_, IsrModel>,
    explored: &Explored<IsrModel>,
) -> Vec<Finding> {
    let finding = |one: &Counterexample<IsrModel>| {
        Finding::of(scenario_of(&exploration.settings, &one.operations), &one.failure)
    };
    explored.counterexamples.iter().map(finding).collect()
}

/// What is explored, for the model `isr`.
pub fn isr_subject(exploration: &Exploration<'_, IsrModel>) -> Subject {
    let scenario = scenario_of(&exploration.settings, &[]);
    Subject {
        model: IsrModel::NAME.into(),
        rules: format!("variant {}", exploration.settings.rules),
        configuration: crate::report::replay::configuration_in_words(&scenario.configuration),
        applicable: Selection::ALL,
    }
}

impl Told {
    /// A finding, told.
    pub fn of(finding: &Finding) -> Self {
        let scenario = &finding.scenario;
        let words = |&operation: &_| operation_in_words(operation, &scenario.names);
        Self {
            invariant: finding.invariant,
            operations: scenario.operations.iter().map(words).collect(),
            text: Picture::of_scenario(scenario).coloured_text_of_the_expected(TEXT_WIDTH),
            // What was written by hand is JSON.
            scenario: serde_json::from_str(&scenario.to_json()).ok(),
        }
    }
}

/// A finished exploration.
#[derive(Debug)]
pub struct ExploreReport<'e, M: Model> {
    exploration: &'e Exploration<'e, M>,
    explored: &'e Explored<M>,
    subject: Subject,
    told: Vec<Told>,
    /// Whether the user stopped it, rather than time.
    was_stopped: bool,
}

impl<'e, M: Model> ExploreReport<'e, M> {
    /// A report of what `exploration` found out; `told` are its counterexamples.
    pub fn of(
        exploration: &'e Exploration<'e, M>,
        explored: &'e Explored<M>,
        subject: Subject,
        told: Vec<Told>,
        was_stopped: bool,
    ) -> Self {
        Self { exploration, explored, subject, told, was_stopped }
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

    /// Classes of operations that the bounds offer and that never applied.
    fn never_applied(&self) -> Vec<&'static str> {
        let outcomes = M::OUTCOMES.len();
        let applied = |kind: usize| {
            let counts = &self.explored.counts.outcomes[kind * outcomes..(kind + 1) * outcomes];
            let is_refusal = |name: &str| name.starts_with("refused:");
            let counts = M::OUTCOMES.iter().zip(counts);
            counts.filter(|(name, _)| !is_refusal(name)).any(|(_, &count)| count > 0)
        };
        let kinds = (0..M::KINDS.len()).filter(|&kind| self.exploration.bounds.offers(kind));
        kinds.filter(|&kind| !applied(kind)).map(|kind| M::KINDS[kind]).collect()
    }

    fn not_tested(&self) -> Vec<&'static str> {
        let is_open =
            |invariant: &InvariantId| self.explored.counts.tested[*invariant as usize] == 0;
        self.explored.checked.iter().filter(is_open).map(InvariantId::name).collect()
    }

    /// Everything, for people.
    pub fn text(&self) -> String {
        let explored = self.explored;
        let mut text = String::new();
        for told in &self.told {
            let (operations, name) = (told.operations.len(), told.invariant.name());
            let shorter = if explored.is_shortest() {
                format!(
                    "No sequence of fewer than {operations} operations within the bounds violates {name}."
                )
            } else {
                format!(
                    "It ended before all sequences of {operations} operations were looked at: there \
                     may be a shorter one."
                )
            };
            text.push_str(&format!("{}\n{shorter}\n\n", told.text));
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
        text.push_str(&format!("configuration: {}\n", self.subject.configuration));
        let collisions = explored.collisions;
        text.push_str(&format!(
            "probability that a fingerprint hid a state: {:.1e} calculated, {:.1e} from the fingerprints\n",
            collisions.calculated, collisions.actual
        ));
        for (what, names) in [
            ("NEVER APPLIED", self.never_applied()),
            ("NOT TESTED", self.not_tested()),
            ("NOT CHECKED", self.not_checked()),
            ("UNDECIDED (a limit of the checker was reached)", self.undecided()),
        ] {
            if !names.is_empty() {
                text.push_str(&format!("{what}: {}\n", names.join(", ")));
            }
        }
        if !self.exploration.second_phase && self.subject.model == IsrModel::NAME {
            text.push_str("quiescence and recovery after each state were not looked at\n");
        }
        text.push_str(&format!("\n{}\n", self.conclusion()));
        text
    }

    /// Invariants that speak of the model and were left out.
    fn not_checked(&self) -> Vec<&'static str> {
        let checked = self.explored.checked;
        let left_out = self.subject.applicable.iter().filter(|&one| !checked.contains(one));
        left_out.map(InvariantId::name).collect()
    }

    fn undecided(&self) -> Vec<&'static str> {
        self.explored.counts.undecided.iter().map(InvariantId::name).collect()
    }

    /// What the verdict is, and what it is worth.
    fn conclusion(&self) -> String {
        let rules = &self.subject.rules;
        let explored = self.explored;
        let left = explored.unexpanded;
        match explored.ended {
            _ if !explored.counterexamples.is_empty() => {
                let names =
                    explored.counterexamples.iter().map(|one| one.failure.invariant().name());
                format!("violated: {}, {rules}", names.collect::<Vec<_>>().join(", "))
            }
            Ended::Exhausted if explored.is_clean() && !self.not_checked().is_empty() => {
                let checked: Vec<_> = explored.checked.iter().map(InvariantId::name).collect();
                format!(
                    "exhausted: clean of {}, {rules}. Every state that operations within the bounds can lead to was checked.",
                    checked.join(", ")
                )
            }
            Ended::Exhausted if explored.is_clean() => format!(
                "exhausted: clean, {rules}. Every state that operations within the bounds can lead to was checked."
            ),
            Ended::Exhausted if explored.checked.is_empty() => {
                format!("undecided: every state was visited, and nothing was checked, {rules}")
            }
            Ended::Exhausted if explored.counts.halted > 0 => format!(
                "undecided: a limit of the model cut off {} ways, {rules}",
                explored.counts.halted
            ),
            Ended::Exhausted => {
                format!("undecided: the checker gave up somewhere, {rules}")
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
                    "{} ({why}): nothing found in what was visited, {rules}; \
                     {left} states were visited and not gone on from",
                    self.verdict()
                )
            }
        }
    }

    /// Everything, for programs.
    pub fn json(&self) -> Value {
        let explored = self.explored;
        let counterexample = self.told.first().map(|told| {
            json!({
                "invariant": told.invariant.name(),
                "ops": told.operations.len(),
                "operations": told.operations,
                "scenario": told.scenario,
            })
        });
        let tested = explored.checked.iter().map(|invariant| {
            (invariant.name().to_owned(), json!(explored.counts.tested[invariant as usize]))
        });
        json!({
            "format": "highwater-explore/1",
            "verdict": self.verdict(),
            "model": self.subject.model,
            "rules": self.subject.rules,
            "configuration": self.subject.configuration,
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
            "counterexamples": self.told.len(),
            "tested": tested.collect::<Map<_, _>>(),
            "not_tested": self.not_tested(),
            "not_checked": self.not_checked(),
            "never_applied": self.never_applied(),
            "undecided": self.undecided(),
            "halted": explored.counts.halted,
            "bytes": explored.bytes,
        })
    }
}
