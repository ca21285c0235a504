//! What shrinking promises: shorter, never another violation, and nothing left to leave out.

use highwater::invariants::{InvariantId, Selection};
use highwater::isr::{IsrModel, Operation, Settings};
use highwater::model::Simplify;
use highwater::run::{Failure, Phase, run};
use highwater::scenario::generate::Generator;
use highwater::search::shrink::{Case, Shrinker, Target};

/// The first sequences of 200 operations that violate `invariant` while operations are applied.
fn long_failures(invariant: InvariantId, count: usize) -> Vec<(Settings, Vec<Operation>, Failure)> {
    let source = Generator { operations: 200..=200, ..Generator::default() };
    let mut found = Vec::new();
    let mut operations = Vec::new();
    for index in 0..5_000 {
        let settings = source.draw(3, index, &mut operations);
        let verdict = run(&IsrModel::default(), &settings, &operations, Selection::only(invariant));
        if let Some(failure) = verdict.failures.first()
            && failure.phase == Phase::Operations
        {
            found.push((settings, operations.clone(), failure.clone()));
        }
        if found.len() == count {
            return found;
        }
    }
    panic!("{} violates too rarely: {}", invariant.name(), found.len());
}

fn shrink(settings: &Settings, operations: &[Operation], failure: &Failure) -> Case<IsrModel> {
    let model = IsrModel::default();
    let mut shrinker = Shrinker::new(&model, Target::of(failure), || true);
    shrinker.shrink(settings, operations).expect("the violation shows again")
}

#[test]
fn two_hundred_operations_shrink_to_a_few_of_which_none_can_be_left_out() {
    let invariants = [
        InvariantId::CommittedPrefixAgreement,
        InvariantId::AckedDurability,
        InvariantId::MinInsyncAdmission,
        InvariantId::EpochOrder,
        InvariantId::CommittedOnMinInsync,
    ];
    for invariant in invariants {
        for (settings, operations, failure) in long_failures(invariant, 4) {
            let case = shrink(&settings, &operations, &failure);
            assert!(case.operations.len() <= 12, "{}: {:?}", invariant.name(), case.operations);
            let target = Target::of(&failure);
            assert_eq!(Target::of(&case.failure), target, "the violation has not drifted");
            let model = IsrModel::default();
            let mut shrinker = Shrinker::new(&model, target, || true);
            for index in 0..case.operations.len() {
                let mut shorter = case.operations.clone();
                shorter.remove(index);
                assert!(shrinker.try_case(&case.settings, &shorter).is_none());
            }
        }
    }
}

#[test]
fn shrinking_ends_at_once_when_it_is_told_to_with_the_best_so_far() {
    let (settings, operations, failure) = long_failures(InvariantId::AckedDurability, 1).remove(0);
    let model = IsrModel::default();
    let mut tries = 20;
    let go_on = || {
        tries -= 1;
        tries > 0
    };
    let mut shrinker = Shrinker::new(&model, Target::of(&failure), go_on);
    let case = shrinker.shrink(&settings, &operations).unwrap();
    assert!(shrinker.runs() <= 22, "{}", shrinker.runs());
    assert_eq!(Target::of(&case.failure), Target::of(&failure));
    assert!(case.operations.len() <= operations.len());
}

#[test]
fn what_is_offered_as_simpler_is_simpler() {
    let source = Generator::default();
    let (mut operations, mut simpler, mut simpler_settings) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..500 {
        let settings = source.draw(5, index, &mut operations);
        for &operation in &operations {
            simpler.clear();
            IsrModel::simpler_operations(operation, &mut simpler);
            for &other in &simpler {
                let complexity = |operation| IsrModel::complexity(&settings, &[operation]);
                assert!(complexity(other) < complexity(operation), "{operation:?} {other:?}");
            }
        }
        simpler_settings.clear();
        IsrModel::simpler_settings(&settings, &mut simpler_settings);
        for other in &simpler_settings {
            assert!(IsrModel::complexity(other, &[]) < IsrModel::complexity(&settings, &[]));
        }
    }
}
