//! Explorations of the models of Kafka's history, in words.

use crate::kip::{StepScenario, Stepwise};
use crate::picture::TEXT_WIDTH;
use crate::report::{Finding, Subject, Told};
use crate::scenario::ScenarioFile;
use highwater_invariants::Selection;

/// What is explored.
pub fn step_subject<M: Stepwise>(settings: &M::Settings) -> Subject {
    let configuration = M::configuration_in_words(settings);
    let configuration = configuration.into_iter().map(|(name, value)| format!("{name} {value}"));
    Subject {
        model: M::name_of(settings).into(),
        rules: M::rules_of(settings),
        configuration: configuration.collect::<Vec<_>>().join(", "),
        applicable: M::APPLICABLE,
    }
}

impl Told {
    /// A finding, told.
    pub fn of_steps<M: Stepwise>(finding: &Finding<StepScenario<M>>) -> Self {
        let scenario = &finding.scenario;
        let picture = scenario.picture(Selection::only(finding.invariant));
        Self {
            invariant: finding.invariant,
            operations: scenario.operations.iter().map(|&step| M::in_words(step)).collect(),
            text: picture.coloured_text_of_the_expected(TEXT_WIDTH),
            // What was written by hand is JSON.
            scenario: serde_json::from_str(&scenario.to_json()).ok(),
        }
    }
}
