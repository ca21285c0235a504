//! A scenario, replayed step by step, as a table, as JSON, with its trace.

use crate::isr::{GroupConfiguration, Outcome, Partition, Trace, TracedIsrModel};
use crate::report::words::{operation_in_words, outcome_in_words};
use crate::run::{Failure, Phase, Run, Verdict};
use crate::scenario::{Expectation, Scenario};
use comfy_table::{ContentArrangement, Table, presets};
use highwater_invariants::{InvariantId, Names, NodeSet, Selection, View};
use serde_json::{Value, json};

/// A scenario that has been run.
#[derive(Debug)]
pub struct Replay<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// What each operation answered, and the partition after it.
    pub steps: Vec<Step>,
    /// How the run ended.
    pub verdict: Verdict,
    /// All that happened.
    pub trace: Trace,
    events_before: usize,
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
        let mut steps = Vec::new();
        for &operation in &scenario.operations {
            let outcome = run.apply(operation);
            steps.push(Step { outcome, partition: run.state().clone(), events: model.events() });
            if run.is_halted() {
                break;
            }
        }
        run.finish();
        Self { scenario, steps, verdict: run.verdict(), trace: model.into_trace(), events_before }
    }

    /// Whether what the scenario expects came true; `None` if it expects nothing.
    pub fn meets_expectation(&self) -> Option<bool> {
        self.scenario.expectation.map(|expectation| expectation.is_met_by(&self.verdict))
    }

    /// The operations, what each answered, and the partition after it.
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(["", "operation", "answer", "leader", "epoch", "ISR", "HW", "log ends"]);
        for (index, step) in self.steps.iter().enumerate() {
            let number = index + 1;
            let is_marked =
                self.verdict.failures.iter().any(|failure| {
                    failure.operation == number && failure.phase == Phase::Operations
                });
            let mark = if is_marked { format!("{number} ✗") } else { number.to_string() };
            let operation =
                operation_in_words(self.scenario.operations[index], &self.scenario.names);
            let answer = outcome_in_words(step.outcome, &self.scenario.names);
            let [leader, epoch, isr, high_watermark, ends] = self.columns(&step.partition);
            table.add_row([mark, operation, answer, leader, epoch, isr, high_watermark, ends]);
        }
        table
    }

    fn columns(&self, partition: &Partition) -> [String; 5] {
        let names = &self.scenario.names;
        let leader = partition.current_leader();
        let down = if partition.alive().contains(leader) { "" } else { " (down)" };
        let ends = View::nodes(partition).iter().map(|node| {
            let down = if partition.alive().contains(node) { "" } else { "†" };
            format!("{}{down}", partition.log_end_offset(node))
        });
        [
            format!("{}{down}", Names::node(names, leader)),
            partition.leader_epoch().to_string(),
            self.set_in_words(partition.isr()),
            partition.high_watermark().to_string(),
            ends.collect::<Vec<_>>().join(" "),
        ]
    }

    fn set_in_words(&self, nodes: NodeSet) -> String {
        let mut list: Vec<_> =
            nodes.iter().map(|node| Names::node(&self.scenario.names, node)).collect();
        list.sort();
        list.join(", ")
    }

    /// The table and the one violation that the scenario is about, in words.
    pub fn text_of_the_expected(&self) -> String {
        let mut text = self.heading();
        if let Some(failure) = self.failures_expected_first().first() {
            text.push_str(&format!("\n{}\n", self.failure_in_words(failure)));
        }
        text
    }

    /// The table, the violations and what was expected, in words.
    pub fn text(&self) -> String {
        let mut text = self.heading();
        for failure in self.failures_expected_first() {
            text.push_str(&format!("\n{}\n", self.failure_in_words(failure)));
        }
        text.push_str(&self.reservations());
        text.push_str(&match (self.scenario.expectation, self.meets_expectation()) {
            (Some(expectation), Some(true)) => {
                format!("\nas expected: {}\n", in_words(expectation))
            }
            (Some(expectation), _) => {
                format!("\nNOT AS EXPECTED, which was: {}\n", in_words(expectation))
            }
            (None, _) if self.verdict.is_clean() => "\nclean: no invariant is violated\n".into(),
            (None, _) => String::new(),
        });
        text
    }

    /// The configuration and the table.
    fn heading(&self) -> String {
        let names = self.scenario.configuration.nodes.join(", ");
        let configuration = configuration_in_words(&self.scenario.configuration);
        let mut text = format!(
            "{configuration}\n{}\n(log ends in the order {names}; † is down)\n",
            self.table()
        );
        if self.verdict.halted {
            text.push_str("\nThe run ended early: a limit was exceeded.\n");
        }
        text
    }

    /// What keeps a run without violations from being clean, or clean of everything.
    fn reservations(&self) -> String {
        let names = |invariants: &mut dyn Iterator<Item = InvariantId>| {
            invariants.map(InvariantId::name).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::new();
        if !self.verdict.undecided.is_empty() {
            let names = names(&mut self.verdict.undecided.iter());
            text.push_str(&format!("\nUNDECIDED (a limit of the checker was reached): {names}\n"));
        }
        let checked = self.verdict.checked;
        if checked != Selection::ALL {
            let names = names(&mut Selection::ALL.iter().filter(|&one| !checked.contains(one)));
            text.push_str(&format!("\nNOT CHECKED: {names}\n"));
        }
        text
    }

    /// The violation that the scenario is about comes first.
    fn failures_expected_first(&self) -> Vec<&Failure> {
        let mut failures: Vec<_> = self.verdict.failures.iter().collect();
        if let Some(Expectation::Violated { invariant, .. }) = self.scenario.expectation {
            failures.sort_by_key(|failure| failure.invariant() != invariant);
        }
        failures
    }

    fn failure_in_words(&self, failure: &Failure) -> String {
        let place = place_in_words(failure.operation, failure.phase);
        let evidence = &failure.violation.evidence;
        format!(
            "VIOLATED {} {place}\n  {}\n  ({}: {})",
            failure.invariant().name(),
            evidence.in_words(&self.scenario.names),
            evidence.kind(),
            failure.invariant().statement(),
        )
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

    /// The replay as JSON.
    pub fn json(&self) -> Value {
        let names = &self.scenario.names;
        let steps = self.steps.iter().enumerate().map(|(index, step)| {
            let partition = &step.partition;
            let ends = View::nodes(partition).iter().map(|node| {
                (Names::node(names, node), json!(partition.log_end_offset(node).0))
            });
            let isr: Vec<_> = partition.isr().iter().map(|node| Names::node(names, node)).collect();
            json!({
                "number": index + 1,
                "operation": crate::scenario::operation_json(self.scenario.operations[index], names),
                "answer": outcome_in_words(step.outcome, names),
                "tick": partition.now().0,
                "leader": Names::node(names, partition.current_leader()),
                "leader_epoch": partition.leader_epoch().0,
                "isr": isr,
                "high_watermark": partition.high_watermark().0,
                "log_end_offsets": ends.collect::<serde_json::Map<_, _>>(),
            })
        });
        json!({
            "verdict": match self.verdict.failures.is_empty() {
                false => "violated",
                true if self.verdict.is_clean() => "clean",
                true => "undecided",
            },
            "expectation_met": self.meets_expectation(),
            "halted": self.verdict.halted,
            "violations": self.verdict.failures.iter().map(|failure| json!({
                "invariant": failure.invariant().name(),
                "operation": failure.operation,
                "phase": crate::scenario::phase_name(failure.phase),
                "kind": failure.violation.evidence.kind(),
                "evidence": failure.violation.evidence.in_words(names),
            })).collect::<Vec<_>>(),
            "steps": steps.collect::<Vec<_>>(),
        })
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

fn place_in_words(operation: usize, phase: Phase) -> String {
    match phase {
        Phase::Operations => format!("at operation {operation}"),
        Phase::Quiescence => format!("after all {operation} operations, left to itself"),
        Phase::Recovery => format!("after all {operation} operations, once faults had stopped"),
    }
}

fn in_words(expectation: Expectation) -> String {
    match expectation {
        Expectation::Clean => "no invariant is violated".into(),
        Expectation::Violated { invariant, operation, phase } => {
            format!("{} is violated {}", invariant.name(), place_in_words(operation, phase))
        }
    }
}
