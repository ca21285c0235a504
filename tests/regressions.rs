//! Every counterexample in `corpus/regressions/` is replayed for ever after: it gives exactly its
//! verdict at exactly its operation, and no operation of it can be left out.

use highwater::explore::{Bounds, Exploration, Limits};
use highwater::invariants::{InvariantId, Selection};
use highwater::isr::IsrModel;
use highwater::kip::{AsyncIsrModel, HwOver, KipModel, Preset, StepScenario, Stepwise};
use highwater::model::Simplify;
use highwater::run::{Phase, run};
use highwater::scenario::{AnyScenario, Expectation, ScenarioFile};
use highwater::search::shrink::{Shrinker, Target};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn scenarios() -> Vec<(PathBuf, AnyScenario)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/regressions");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), AnyScenario::read(&file).unwrap())).collect()
}

#[test]
fn every_file_gives_exactly_what_it_expects() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 55, "{} files", scenarios.len());
    for (file, scenario) in scenarios {
        let picture = scenario.picture(scenario.applicable());
        let found = &picture.violations;
        let shown = file.display();
        assert_eq!(picture.expectation_met, Some(true), "{shown}: {found:?}");
    }
}

#[test]
fn no_operation_of_a_counterexample_can_be_left_out() {
    for (file, scenario) in scenarios() {
        match &scenario {
            AnyScenario::Isr(one) => {
                nothing_can_go(
                    &file,
                    &IsrModel::default(),
                    &one.settings,
                    &one.operations,
                    &scenario,
                );
            }
            AnyScenario::Kip(one) => {
                nothing_can_go(&file, &KipModel, &one.settings, &one.operations, &scenario);
            }
            AnyScenario::AsyncIsr(one) => {
                nothing_can_go(&file, &AsyncIsrModel, &one.settings, &one.operations, &scenario);
            }
        }
    }
}

fn nothing_can_go<M: Simplify>(
    file: &Path,
    model: &M,
    settings: &M::Settings,
    operations: &[M::Operation],
    scenario: &AnyScenario,
) {
    let Some(Expectation::Violated { invariant, .. }) = scenario.expectation() else { return };
    let verdict = run(model, settings, operations, Selection::only(invariant));
    let target = Target::of(&verdict.failures[0]);
    let mut shrinker = Shrinker::new(model, target, || true);
    for index in 0..operations.len() {
        let mut shorter = operations.to_vec();
        shorter.remove(index);
        let found = shrinker.try_case(settings, &shorter);
        assert!(found.is_none(), "{}: operation {} can go", file.display(), index + 1);
    }
    let last = verdict.failures[0].operation;
    assert!(target.phase != Phase::Operations || last == operations.len());
}

#[test]
fn a_file_says_of_itself_what_writing_it_again_would_say() {
    for (file, scenario) in scenarios() {
        let content = std::fs::read_to_string(&file).unwrap();
        assert_eq!(scenario.to_json(), content, "{}", file.display());
    }
}

/// How many steps a shortest counterexample of the same invariant at the same size has.
fn shortest<M: Stepwise>(scenario: &StepScenario<M>, invariant: InvariantId) -> Option<usize> {
    let exploration = Exploration {
        model: &M::default(),
        settings: scenario.settings,
        bounds: Bounds::none::<M>(),
        selection: Selection::only(invariant),
        second_phase: false,
        keep_going: false,
        is_wide: false,
        symmetries: Vec::new(),
        limits: Limits::default(),
    };
    let explored = exploration.run(|| true, |_| ());
    explored.counterexamples.first().map(|one| one.operations.len())
}

#[test]
fn every_broken_specification_has_a_counterexample_and_no_shorter_one_exists() {
    let mut there = BTreeSet::new();
    for (file, scenario) in scenarios() {
        let Some(Expectation::Violated { invariant, .. }) = scenario.expectation() else {
            continue;
        };
        let (which, length, shortest) = match &scenario {
            AnyScenario::Isr(_) => continue,
            AnyScenario::Kip(one) => {
                assert_eq!(one.settings.rules.off().count(), 0, "{}", file.display());
                let name = scenario.model().to_owned();
                (name, one.operations.len(), shortest(one, invariant))
            }
            AnyScenario::AsyncIsr(one) => {
                let over = one.settings.hw_over.name().to_owned();
                (over, one.operations.len(), shortest(one, invariant))
            }
        };
        assert_eq!(Some(length), shortest, "{}", file.display());
        there.insert((which, invariant.name()));
    }
    let broken = Preset::ALL.into_iter().filter(|&preset| preset != Preset::Kip320);
    let of_history = broken.flat_map(|preset| {
        let invariants = [InvariantId::WeakIsr, InvariantId::StrongIsr];
        invariants.map(|invariant| (preset.command_line_name().to_owned(), invariant.name()))
    });
    let mutants = [HwOver::Committed, HwOver::Proposed];
    let of_async_isr =
        mutants.map(|over| (over.name().to_owned(), InvariantId::ValidHighWatermark.name()));
    assert_eq!(there, of_history.chain(of_async_isr).collect());
}
