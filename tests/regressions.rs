//! Every counterexample in `corpus/regressions/` is replayed for ever after: it gives exactly its
//! verdict at exactly its operation, and no operation of it can be left out.

use highwater::invariants::Selection;
use highwater::isr::IsrModel;
use highwater::run::{Phase, run};
use highwater::scenario::{Expectation, Scenario};
use highwater::search::shrink::{Shrinker, Target};
use std::path::PathBuf;

fn scenarios() -> Vec<(PathBuf, Scenario)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/regressions");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), Scenario::read(&file).unwrap())).collect()
}

#[test]
fn every_file_gives_exactly_what_it_expects() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 11, "{} files", scenarios.len());
    for (file, scenario) in scenarios {
        let expectation = scenario.expectation.expect("a regression expects something");
        let model = IsrModel::default();
        let verdict = run(&model, &scenario.settings, &scenario.operations, Selection::ALL);
        assert!(
            expectation.is_met_by(&verdict),
            "{}: expected {expectation:?}, got {:?}",
            file.display(),
            verdict.failures
        );
    }
}

#[test]
fn no_operation_of_a_counterexample_can_be_left_out() {
    for (file, scenario) in scenarios() {
        let Some(Expectation::Violated { invariant, .. }) = scenario.expectation else { continue };
        let model = IsrModel::default();
        let verdict =
            run(&model, &scenario.settings, &scenario.operations, Selection::only(invariant));
        let target = Target::of(&verdict.failures[0]);
        let mut shrinker = Shrinker::new(&model, target, || true);
        for index in 0..scenario.operations.len() {
            let mut shorter = scenario.operations.clone();
            shorter.remove(index);
            let found = shrinker.try_case(&scenario.settings, &shorter);
            assert!(found.is_none(), "{}: operation {} can go", file.display(), index + 1);
        }
        let last = verdict.failures[0].operation;
        assert!(target.phase != Phase::Operations || last == scenario.operations.len());
    }
}

#[test]
fn a_file_says_of_itself_what_writing_it_again_would_say() {
    for (file, scenario) in scenarios() {
        let content = std::fs::read_to_string(&file).unwrap();
        assert_eq!(scenario.to_json(), content, "{}", file.display());
    }
}
