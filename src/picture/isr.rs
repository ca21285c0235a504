//! A replay of the model `isr` as a picture.

use crate::isr::{IsrModel, Partition};
use crate::model::Model;
use crate::picture::events::Events;
use crate::picture::steps::not_in;
use crate::picture::{
    LogEntry, NodePicture, PICTURE_FORMAT, Picture, StepPicture, ViolationPicture,
    verdict_in_a_word,
};
use crate::report::{Replay, operation_in_words, outcome_in_words};
use crate::run::{Failure, Phase};
use crate::scenario::{Expectation, Scenario, ScenarioNames, operation_json, phase_name};
use highwater_invariants::{Names, NodeId, NodeSet, Selection, View};
use serde_json::{Value, json};

impl Picture {
    /// The picture of a scenario, all invariants checked.
    pub fn of_scenario(scenario: &Scenario) -> Self {
        Self::of(&Replay::of(scenario, Selection::ALL))
    }

    /// The picture of a replay.
    pub fn of(replay: &Replay<'_>) -> Self {
        let scenario = replay.scenario;
        let names = &scenario.names;
        let configuration = &scenario.configuration;
        let mut events = Events::new(&replay.trace, names);
        let steps = steps(replay, &mut events);
        let failures = replay.failures_expected_first();
        Self {
            format: PICTURE_FORMAT.into(),
            file: String::new(),
            name: scenario.name.clone(),
            model: IsrModel::NAME.into(),
            rules: scenario.settings.rules.to_string(),
            configuration: [
                ("min.insync.replicas", configuration.min_insync_replicas.to_string()),
                ("lag timeout", ticks(configuration.replica_lag_timeout_ticks)),
                ("message delay", ticks(configuration.replication_delay_ticks)),
                ("ack timeout", ticks(configuration.ack_timeout_ticks)),
                ("lease", format!("{} ticks", configuration.lease_duration_ticks)),
                ("retained entries", configuration.log_retention_entries.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec(),
            nodes: nodes(&replay.initial, names),
            verdict: verdict_in_a_word(&replay.verdict).into(),
            expectation: scenario.expectation.map(Expectation::in_words),
            expectation_met: replay.meets_expectation(),
            halted: replay.verdict.halted,
            violations: failures
                .iter()
                .map(|one| ViolationPicture::of(one, names, step_of(one, replay)))
                .collect(),
            not_checked: not_in(replay.verdict.checked, Selection::ALL),
            undecided: not_in(Selection::NONE, replay.verdict.undecided),
            messages: events.into_messages(),
            steps,
            scenario: scenario.to_json(),
            rust_test: String::new(),
        }
        .with_rust_test()
    }
}

fn ticks(ticks: u64) -> String {
    if ticks == 1 { "1 tick".into() } else { format!("{ticks} ticks") }
}

fn nodes(partition: &Partition, names: &ScenarioNames) -> Vec<String> {
    set(View::nodes(partition), names)
}

fn set(nodes: NodeSet, names: &ScenarioNames) -> Vec<String> {
    nodes.iter().map(|node| Names::node(names, node)).collect()
}

/// The partition before the first operation, after each, and at the end of each later phase.
fn steps(replay: &Replay<'_>, events: &mut Events<'_>) -> Vec<StepPicture> {
    let names = &replay.scenario.names;
    let mut steps = vec![StepPicture {
        number: Some(0),
        words: "the partition is created".into(),
        events: events.through(replay.events_before),
        ..step(&replay.initial, names)
    }];
    for (index, (one, &operation)) in
        replay.steps.iter().zip(&replay.scenario.operations).enumerate()
    {
        steps.push(StepPicture {
            number: Some(index + 1),
            operation: operation_json(operation, names),
            words: operation_in_words(operation, names),
            answer: outcome_in_words(one.outcome, names),
            refused: IsrModel::is_refusal(one.outcome),
            events: events.through(one.events),
            ..step(&one.partition, names)
        });
    }
    for (phase, partition, end) in &replay.phases {
        let words = match phase {
            Phase::Recovery => "faults stop; writes until everything is well again, or time is up",
            _ => "the partition is left to itself until it is idle",
        };
        steps.push(StepPicture {
            number: None,
            phase: phase_name(*phase).into(),
            words: words.into(),
            events: events.through(*end),
            ..step(partition, names)
        });
    }
    steps
}

/// The partition at one moment, as after an operation about which nothing is said yet.
fn step(partition: &Partition, names: &ScenarioNames) -> StepPicture {
    let all = View::nodes(partition);
    let name = |node: NodeId| Names::node(names, node);
    let ends = all.iter().map(|node| (name(node), json!(partition.log_end_offset(node).0)));
    let pairs = all.iter().flat_map(|one| all.iter().map(move |other| (one, other)));
    let cut = pairs.filter(|&(one, other)| partition.is_cut(one, other));
    StepPicture {
        number: None,
        phase: phase_name(Phase::Operations).into(),
        operation: Value::Null,
        words: String::new(),
        answer: String::new(),
        refused: false,
        tick: Some(partition.now().0),
        leader: Some(name(partition.current_leader())),
        leader_epoch: partition.leader_epoch().0.into(),
        isr: set(partition.isr(), names),
        high_watermark: Some(partition.high_watermark().0.into()),
        log_end_offsets: ends.collect(),
        pending: partition.pending_offsets().map(|offset| offset.0.into()).collect(),
        cut_links: cut.map(|(one, other)| (name(one), name(other))).collect(),
        nodes: all.iter().map(|node| node_picture(partition, node, names)).collect(),
        events: Vec::new(),
    }
}

fn node_picture(partition: &Partition, node: NodeId, names: &ScenarioNames) -> NodePicture {
    let others = View::nodes(partition).iter().filter(|&other| other != node);
    let is_cut = |other| partition.is_cut(node, other) && partition.is_cut(other, node);
    let mut others = others.peekable();
    let isolated = others.peek().is_some() && others.all(is_cut);
    let log = View::log(partition, node).iter().map(|&entry| LogEntry {
        epoch: entry.leader_epoch().0.into(),
        text: format!("{}={}", Names::key(names, entry.key()), Names::value(names, entry.value())),
    });
    NodePicture {
        name: Names::node(names, node),
        alive: partition.alive().contains(node),
        leads: partition.current_leader() == node,
        in_isr: partition.isr().contains(node),
        isolated,
        slow: partition.slow().contains(node),
        note: String::new(),
        high_watermark: partition.applied_high_watermark(node).0.into(),
        durable: Some(partition.durable_offset(node).0.into()),
        log: log.collect(),
    }
}

/// The index of the step at which a failure shows.
fn step_of(failure: &Failure, replay: &Replay<'_>) -> usize {
    match failure.phase {
        Phase::Operations => failure.operation,
        Phase::Quiescence => replay.steps.len() + 1,
        Phase::Recovery => replay.steps.len() + 2,
    }
}
