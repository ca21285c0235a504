//! A scenario of a model of atomic steps as a picture.

use crate::kip::{KipOutcome, ReplicaNames, StepScenario, Stepwise, name, step_json};
use crate::picture::{
    Arrival, Event, Fate, Message, PICTURE_FORMAT, Picture, StepPicture, ViolationPicture,
    verdict_in_a_word,
};
use crate::run::{Phase, Run};
use crate::scenario::{Expectation, ScenarioFile, phase_name};
use highwater_invariants::{NodeSet, Selection, View};
use serde_json::{Value, json};

impl<M: Stepwise> StepScenario<M> {
    /// Runs it, checking `selection`, and draws what happened.
    pub fn picture(&self, selection: Selection) -> Picture {
        let model = M::default();
        let mut run = Run::new(&model, &self.settings, selection);
        let mut messages = Vec::new();
        let mut steps = vec![StepPicture {
            number: Some(0),
            words: "nothing has happened".into(),
            ..step_picture::<M>(run.state())
        }];
        for (index, &step) in self.operations.iter().enumerate() {
            let place = M::place(run.state(), step).map(name);
            let is_taken = run.apply(step) == KipOutcome::Taken;
            let words = M::in_words(step);
            let message = M::transfer(step).filter(|_| is_taken).map(|(from, to)| {
                // A fetch is one step: the record is sent and is there.
                let arrival =
                    Arrival { sequence: index, fate: Fate::Delivered, why: String::new() };
                messages.push(Message {
                    id: messages.len() as u64,
                    from: name(from),
                    to: name(to),
                    words: "the next record".into(),
                    sent: index,
                    arrivals: vec![arrival],
                    duplicated: false,
                });
                messages.len() - 1
            });
            let event = Event {
                sequence: index,
                tick: None,
                kind: M::KINDS[M::kind(step)].into(),
                node: place.clone(),
                words: place
                    .as_ref()
                    .and_then(|name| words.strip_prefix(&format!("{name} ")))
                    .unwrap_or(&words)
                    .into(),
                message,
            };
            steps.push(StepPicture {
                number: Some(index + 1),
                operation: step_json::<M>(step),
                words,
                answer: if is_taken { "done" } else { "refused: it is not enabled" }.into(),
                refused: !is_taken,
                events: if is_taken { vec![event] } else { Vec::new() },
                ..step_picture::<M>(run.state())
            });
        }
        let nodes = View::nodes(run.state());
        let verdict = run.verdict();
        let mut failures: Vec<_> = verdict.failures.iter().collect();
        failures.sort_by_key(|failure| !self.is_about(failure.invariant()));
        let violations =
            failures.iter().map(|one| ViolationPicture::of(one, &ReplicaNames, one.operation));
        Picture {
            format: PICTURE_FORMAT.into(),
            file: String::new(),
            name: self.name.clone(),
            model: M::name_of(&self.settings).into(),
            rules: M::rules_of(&self.settings),
            configuration: M::configuration_in_words(&self.settings)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            nodes: names(nodes),
            verdict: verdict_in_a_word(&verdict).into(),
            expectation: self.expectation.map(Expectation::in_words),
            expectation_met: self.expectation.map(|expectation| expectation.is_met_by(&verdict)),
            halted: verdict.halted,
            violations: violations.collect(),
            not_checked: not_in(verdict.checked, M::APPLICABLE),
            undecided: not_in(Selection::NONE, verdict.undecided),
            steps,
            messages,
            scenario: self.to_json(),
            rust_test: String::new(),
        }
        .with_rust_test()
    }
}

/// Names of the invariants of `all` that are not in `selection`.
pub(super) fn not_in(selection: Selection, all: Selection) -> Vec<String> {
    let missing = all.iter().filter(|&one| !selection.contains(one));
    missing.map(|invariant| invariant.name().to_owned()).collect()
}

fn names(nodes: NodeSet) -> Vec<String> {
    nodes.iter().map(|node| name(node.index() as u8)).collect()
}

/// The state at one moment, as after a step about which nothing is said yet.
fn step_picture<M: Stepwise>(state: &M::State) -> StepPicture {
    let nodes = M::replicas(state);
    let ends = nodes.iter().map(|node| (node.name.clone(), json!(node.log.len())));
    StepPicture {
        number: None,
        phase: phase_name(Phase::Operations).into(),
        operation: Value::Null,
        words: String::new(),
        answer: String::new(),
        refused: false,
        tick: None,
        leader: View::leader(state).map(|leader| name(leader.index() as u8)),
        leader_epoch: M::epoch(state),
        isr: names(View::isr(state)),
        high_watermark: M::high_watermark(state),
        log_end_offsets: ends.collect(),
        pending: Vec::new(),
        cut_links: Vec::new(),
        nodes,
        events: Vec::new(),
    }
}
