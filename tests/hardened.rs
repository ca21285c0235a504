//! What the hardened variant promises, and that it does not buy safety by refusing everything.

use highwater::invariants::{AckLevel, Event, InvariantId, Observer, Selection, View};
use highwater::isr::{Branch, IsrModel, Operation, Outcome, Rules, Variant};
use highwater::model::Model;
use highwater::scenario::Scenario;
use highwater::scenario::generate::{Generator, Profile};
use highwater::search::{Campaign, Results, Stop};
use std::path::Path;

fn hardened(profile: Option<Profile>) -> Generator {
    Generator { profile, rules: Rules::of(Variant::Hardened), ..Generator::default() }
}

fn search(generator: &Generator, seed: u64, sequences: u64) -> Results {
    let campaign = Campaign {
        model: &IsrModel::default(),
        source: generator,
        seed,
        range: 0..sequences,
        selection: Selection::ALL,
        stop: Stop::AtEnd,
        check_determinism: false,
    };
    campaign.run(|| true, |_| ())
}

#[test]
fn it_is_clean_over_all_profiles_and_every_invariant_is_tested() {
    let results = search(&hardened(None), 4, 60_000);
    assert!(results.groups.is_empty(), "{:?}", results.groups);
    assert!(
        results.tally.tested[..InvariantId::ALL.len()].iter().all(|&tested| tested > 1_000),
        "{:?}",
        results.tally.tested
    );
    assert_eq!(results.tally.undecided.iter().sum::<u64>(), 0);
    assert_eq!(results.tally.halted, 0);
}

#[test]
fn it_is_clean_in_long_sequences_of_each_profile() {
    for profile in Profile::ALL {
        let generator = Generator { operations: 100..=200, ..hardened(Some(profile)) };
        let results = search(&generator, 5, 1_500);
        assert!(results.groups.is_empty(), "{profile:?}: {:?}", results.groups);
    }
}

#[test]
fn it_accepts_writes_after_elections_after_lossy_crashes_and_after_rejoin() {
    let tally = search(&hardened(None), 6, 20_000).tally;
    let branches = [
        Branch::WriteAfterElection,
        Branch::WriteAfterLossyCrash,
        Branch::WriteAfterRejoin,
        Branch::LeaderReplaced,
        Branch::CatchUpRetried,
        Branch::WriteFenced,
    ];
    for branch in branches {
        let count = tally.branches[branch as usize];
        assert!(count > 200, "{}: {count}", Branch::WORDS[branch as usize]);
    }
}

/// Counts the answers to `ALL_ISR` writes.
#[derive(Default)]
struct Answers {
    accepted: u64,
    not_accepted: u64,
}

impl Observer for Answers {
    fn observe<V: View>(&mut self, event: Event, _view: &V) {
        match event {
            Event::WriteAnswered { ack: AckLevel::AllIsr, accepted: true, .. } => {
                self.accepted += 1;
            }
            Event::WriteAnswered { ack: AckLevel::AllIsr, .. } | Event::WriteRefused { .. } => {
                self.not_accepted += 1;
            }
            _ => {}
        }
    }
}

#[test]
fn without_faults_every_all_isr_write_is_accepted() {
    let generator = hardened(Some(Profile::Calm));
    let (mut operations, mut answers) = (Vec::new(), Answers::default());
    let model = IsrModel::default();
    for index in 0..20_000 {
        let mut settings = generator.draw(8, index, &mut operations);
        // A client that gives up before the network can answer cannot be answered.
        settings.ack_timeout_ticks += settings.replication_delay_ticks;
        let mut state = model.initial(&settings);
        let is_fault =
            |operation: &Operation| matches!(operation, Operation::SetReplicaSlow { .. });
        for &operation in operations.iter().filter(|operation| !is_fault(operation)) {
            model.apply(&mut state, operation, &mut answers);
        }
        model.settle(&mut state, &mut answers);
    }
    assert!(answers.accepted > 50_000, "{}", answers.accepted);
    assert_eq!(answers.not_accepted, 0);
}

fn scenario(text: &str) -> Scenario {
    let text = format!(
        r#"{{"format": "isr-scenario/1", "variant": "hardened",
            "config": {{"nodes": ["a", "b", "c"]}}, "ops": [{text}]}}"#
    );
    Scenario::parse(Path::new("test"), text.as_bytes()).unwrap()
}

/// Applies the operations and gives back the last outcome.
fn last_outcome(text: &str) -> Outcome {
    let scenario = scenario(text);
    let model = IsrModel::default();
    let mut state = model.initial(&scenario.settings);
    let mut observer = highwater::invariants::Unobserved;
    let outcomes = scenario
        .operations
        .iter()
        .map(|&operation| model.apply(&mut state, operation, &mut observer));
    outcomes.last().unwrap()
}

const LOSE_EVERYTHING: &str = r#"
    {"op": "write", "key": "k", "value": "v", "ack": "ALL_ISR"},
    {"op": "crash", "node": "b", "lose_unfsynced": true},
    {"op": "crash", "node": "c", "lose_unfsynced": true},
    {"op": "crash", "node": "a", "lose_unfsynced": true},
    {"op": "restart", "node": "a"}, {"op": "restart", "node": "b"}, {"op": "restart", "node": "c"},
    {"op": "run_until_idle"}, {"op": "tick"}, {"op": "tick"},"#;

#[test]
fn if_every_copy_of_a_committed_entry_is_lost_it_refuses_to_serve_a_shorter_history() {
    let requests = [
        r#"{"op": "write", "key": "k", "value": "w", "ack": "ALL_ISR"}"#,
        r#"{"op": "write", "key": "k", "value": "w", "ack": "LEADER"}"#,
        r#"{"op": "read", "key": "k", "level": "LINEARIZABLE"}"#,
        r#"{"op": "read", "key": "k", "level": "LEADER"}"#,
        r#"{"op": "lease_read", "node": "a", "key": "k"}"#,
    ];
    for request in requests {
        let outcome = last_outcome(&format!("{LOSE_EVERYTHING} {request}"));
        assert!(matches!(outcome, Outcome::Refused(_)), "{request}: {outcome:?}");
    }
}

#[test]
fn if_one_copy_is_left_a_node_that_has_it_takes_over() {
    let with_a_copy = LOSE_EVERYTHING.replacen(
        r#"{"op": "crash", "node": "b", "lose_unfsynced": true}"#,
        r#"{"op": "fsync", "node": "b"}, {"op": "crash", "node": "b", "lose_unfsynced": true}"#,
        1,
    );
    let read = r#"{"op": "read", "key": "k", "level": "LINEARIZABLE"}"#;
    let outcome = last_outcome(&format!("{with_a_copy} {read}"));
    assert!(matches!(outcome, Outcome::Read(answer) if answer.value.is_some()), "{outcome:?}");
    let write = r#"{"op": "write", "key": "k", "value": "w", "ack": "ALL_ISR"}"#;
    let outcome = last_outcome(&format!("{with_a_copy} {write}"));
    assert!(matches!(outcome, Outcome::Written(answer) if answer.accepted), "{outcome:?}");
}

#[test]
fn recovery_is_tested_both_where_entries_survive_and_where_they_do_not() {
    let results = search(&hardened(Some(Profile::PowerLoss)), 9, 20_000);
    assert!(results.tally.tested[InvariantId::Recovery as usize] >= 20_000);
    assert!(results.groups.is_empty());
}

#[test]
fn faults_that_are_asked_for_are_no_storm_and_no_unrest() {
    let write = r#"{"op": "submit", "key": "k", "value": "v", "ack": "ALL_ISR"},"#;
    let duplicate = r#"{"op": "duplicate_message", "message": 0},"#.repeat(400);
    let delay = r#"{"op": "delay_message", "message": 0, "ticks": 500},"#;
    let idle = r#"{"op": "run_until_idle"}"#;
    for text in [format!("{write}{duplicate}{idle}"), format!("{write}{delay}{idle}")] {
        let scenario = scenario(&text);
        let model = IsrModel::default();
        let verdict =
            highwater::run::run(&model, &scenario.settings, &scenario.operations, Selection::ALL);
        assert!(verdict.failures.is_empty() && !verdict.halted, "{:?}", verdict.failures);
    }
}
