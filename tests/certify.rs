//! Counterexamples are certified to be shortest, or replaced by shorter ones.

use highwater::explore::{Certificate, Limits, certify};
use highwater::invariants::Selection;
use highwater::isr::{Guard, IsrModel, Operation};
use highwater::run::run;
use highwater::scenario::{Expectation, Scenario};
use std::path::Path;

/// Each guard's regression: nothing shorter violates the same, or what is shorter is found.
#[test]
fn the_shortest_scenarios_of_guards_are_certified_as_far_as_a_test_can_go() {
    let mut unknown = Vec::new();
    for &guard in Guard::ALL {
        let file = format!(
            "{}/corpus/regressions/hardened-without-{guard}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let scenario = Scenario::read(Path::new(&file)).unwrap();
        let Some(Expectation::Violated { invariant, .. }) = scenario.expectation else {
            panic!("{file} expects a violation")
        };
        let verdict = run(
            &IsrModel::default(),
            &scenario.settings,
            &scenario.operations,
            Selection::only(invariant),
        );
        let failure = verdict.failure_of(invariant).unwrap();
        let model = IsrModel::offering(&scenario.operations);
        let limits = Limits { states_max: 300_000, ..Limits::default() };
        let (settings, operations) = (&scenario.settings, &scenario.operations);
        let certificate = certify(&model, settings, operations, failure, limits, || true, |_| ());
        match certificate {
            Certificate::Shortest(_) => {}
            Certificate::Shorter(shorter, _) => panic!("{guard}: {:?}", shorter.operations),
            Certificate::Unknown(_) => unknown.push(guard.name()),
        }
    }
    // Its storm takes 14 operations of five kinds.
    assert_eq!(unknown, ["one-catch-up"]);
}

#[test]
fn a_scenario_that_is_too_long_is_replaced_by_a_shortest_one() {
    let file = "corpus/regressions/hardened-without-fence-waiting-writes.json";
    let scenario = Scenario::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let shortest = scenario.operations.len();
    let operations = [vec![Operation::Tick], scenario.operations].concat();
    let settings = &scenario.settings;
    let verdict = run(&IsrModel::default(), settings, &operations, Selection::ALL);
    let failure = verdict.failures.first().unwrap();
    let (model, limits) = (IsrModel::offering(&operations), Limits::default());
    let certificate = certify(&model, settings, &operations, failure, limits, || true, |_| ());
    let Certificate::Shorter(shorter, _) = certificate else { panic!("{certificate:?}") };
    assert_eq!(shorter.operations.len(), shortest);
    let limits = Limits { states_max: 1, ..limits };
    let certificate = certify(&model, settings, &operations, failure, limits, || true, |_| ());
    assert!(matches!(certificate, Certificate::Unknown(_)));
}
