//! Same seed, same result: on any number of threads, every time.

use highwater::invariants::Selection;
use highwater::isr::IsrModel;
use highwater::run::Run;
use highwater::scenario::Scenario;
use highwater::scenario::generate::Generator;
use highwater::search::{Campaign, Results, Stop};
use std::path::Path;

fn search(threads: usize, seed: u64, stop: Stop) -> Results {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (model, source) = (IsrModel::default(), Generator::default());
    let campaign = Campaign {
        model: &model,
        source: &source,
        seed,
        range: 0..3_000,
        selection: Selection::ALL,
        stop,
        check_determinism: false,
    };
    pool.install(|| campaign.run(|| true, |_| ()))
}

#[test]
fn a_search_gives_the_same_counts_and_the_same_violations_on_1_2_and_7_threads() {
    let one = search(1, 7, Stop::AtEnd);
    assert!(one.tally.sequences == 3_000 && !one.groups.is_empty());
    assert_eq!(one, search(2, 7, Stop::AtEnd));
    assert_eq!(one, search(7, 7, Stop::AtEnd));
    assert_ne!(one.groups, search(1, 8, Stop::AtEnd).groups, "another seed gives other sequences");
}

#[test]
fn a_search_that_stops_at_the_first_violation_stops_at_the_same_one_on_any_number_of_threads() {
    for seed in 0..5 {
        let one = search(1, seed, Stop::AtFirstViolation);
        assert!(one.tally.sequences < 3_000);
        assert_eq!(one, search(2, seed, Stop::AtFirstViolation));
    }
}

#[test]
fn the_same_operations_give_the_same_fingerprints() {
    let (model, source) = (IsrModel::default(), Generator::default());
    let fingerprints = |index| {
        let mut operations = Vec::new();
        let settings = source.draw(3, index, &mut operations);
        let mut run = Run::new(&model, &settings, Selection::ALL);
        let mut fingerprints = vec![run.fingerprint()];
        for operation in operations {
            run.apply(operation);
            fingerprints.push(run.fingerprint());
        }
        fingerprints
    };
    for index in 0..300 {
        assert_eq!(fingerprints(index), fingerprints(index));
    }
}

/// Pinned: a fingerprint must be the same on every machine and in every build.
#[test]
fn fingerprints_do_not_change_from_build_to_build() {
    let text = br#"{"format": "isr-scenario/1", "config": {"nodes": ["a", "b", "c"]}, "ops": [
        {"op": "write", "key": "k", "value": "v1", "ack": "ALL_ISR"},
        {"op": "submit", "key": "k", "value": "v2", "ack": "ALL_ISR"},
        {"op": "fsync", "node": "b"},
        {"op": "controller_elect", "node": "b"},
        {"op": "isolate", "node": "c"},
        {"op": "crash", "node": "a", "lose_unfsynced": true},
        {"op": "tick"},
        {"op": "restart", "node": "a"}]}"#;
    let scenario = Scenario::parse(Path::new("pinned"), text).unwrap();
    let model = IsrModel::default();
    let mut run = Run::new(&model, &scenario.settings, Selection::ALL);
    let initial = run.fingerprint();
    for &operation in &scenario.operations {
        run.apply(operation);
    }
    assert_eq!(
        (initial, run.fingerprint()),
        (1_598_376_382_603_355_237, 4_876_201_638_270_679_042)
    );
}
