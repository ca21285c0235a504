//! A scenario of the model `isr`, replayed step by step, with its trace.

use crate::isr::{GroupConfiguration, Outcome, Partition, Trace, TracedIsrModel};
use crate::report::words::operation_in_words;
use crate::run::{Failure, Phase, Run, Verdict};
use crate::scenario::{Expectation, Scenario};
use highwater_invariants::Selection;
use serde_json::{Value, json};

/// A scenario that has been run.
#[derive(Debug)]
pub struct Replay<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// The partition before the first operation.
    pub initial: Partition,
    /// What each operation answered, and the partition after it.
    pub steps: Vec<Step>,
    /// The partition at the end of each later phase, and how many trace events had been recorded
    /// then.
    pub phases: Vec<(Phase, Partition, usize)>,
    /// How the run ended.
    pub verdict: Verdict,
    /// All that happened.
    pub trace: Trace,
    /// How many trace events had been recorded before the first operation.
    pub events_before: usize,
}

/// One operation of a replay.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it answered.
    pub outcome: Outcome,
    /// The partition after it.
    pub partition: Partition,
    /// How many trace events had been recorded after it.
    pub events: usize,
}

impl<'s> Replay<'s> {
    /// Runs `scenario`, checking `selection`.
    pub fn of(scenario: &'s Scenario, selection: Selection) -> Self {
        let model = TracedIsrModel::default();
        let mut run = Run::new(&model, &scenario.settings, selection);
        let events_before = model.events();
        let initial = run.state().clone();
        let mut steps = Vec::new();
        for &operation in &scenario.operations {
            let outcome = run.apply(operation);
            steps.push(Step { outcome, partition: run.state().clone(), events: model.events() });
            if run.is_halted() {
                break;
            }
        }
        let mut phases = Vec::new();
        if !run.is_halted() {
            run.settle();
            phases.push((Phase::Quiescence, run.state().clone(), model.events()));
        }
        if !run.is_halted() {
            run.recover();
            phases.push((Phase::Recovery, run.state().clone(), model.events()));
        }
        let verdict = run.verdict();
        let trace = model.into_trace();
        Self { scenario, initial, steps, phases, verdict, trace, events_before }
    }

    /// Whether what the scenario expects came true; `None` if it expects nothing.
    pub fn meets_expectation(&self) -> Option<bool> {
        self.scenario.expectation.map(|expectation| expectation.is_met_by(&self.verdict))
    }

    /// The violation that the scenario is about comes first.
    pub fn failures_expected_first(&self) -> Vec<&Failure> {
        let mut failures: Vec<_> = self.verdict.failures.iter().collect();
        if let Some(Expectation::Violated { invariant, .. }) = self.scenario.expectation {
            failures.sort_by_key(|failure| failure.invariant() != invariant);
        }
        failures
    }

    /// All that happened, one event a line, under the operation that it belongs to.
    pub fn trace_text(&self) -> String {
        let mut text = String::new();
        let mut from = 0;
        for (heading, end) in self.sections() {
            text.push_str(&heading);
            for (record, sequence) in self.trace.records()[from..end].iter().zip(from..) {
                let details = record.event.details(&self.scenario.names);
                let kind = record.event.kind();
                text.push_str(&format!("{sequence:>5} @{:<4} {kind} {details}\n", record.tick));
            }
            from = end;
        }
        text
    }

    /// The parts of the trace: what each belongs to, and where it ends.
    fn sections(&self) -> Vec<(String, usize)> {
        let mut sections = vec![("-- creation\n".to_owned(), self.events_before)];
        for (index, step) in self.steps.iter().enumerate() {
            let words = operation_in_words(self.scenario.operations[index], &self.scenario.names);
            sections.push((format!("-- operation {}: {words}\n", index + 1), step.events));
        }
        sections.push(("-- after the last operation\n".to_owned(), self.trace.records().len()));
        sections
    }

    /// All that happened, as JSON.
    pub fn trace_json(&self) -> Value {
        let records = self.trace.records().iter().enumerate().map(|(sequence, record)| {
            json!({
                "sequence": sequence,
                "tick": record.tick.0,
                "kind": record.event.kind(),
                "details": record.event.details(&self.scenario.names),
            })
        });
        records.collect()
    }
}

pub(super) fn configuration_in_words(configuration: &GroupConfiguration) -> String {
    format!(
        "{} nodes, min.insync.replicas {}; in ticks: lag timeout {}, delay {}, ack timeout {}, lease {}; \
         retained entries {}",
        configuration.nodes.len(),
        configuration.min_insync_replicas,
        configuration.replica_lag_timeout_ticks,
        configuration.replication_delay_ticks,
        configuration.ack_timeout_ticks,
        configuration.lease_duration_ticks,
        configuration.log_retention_entries,
    )
}
