//! A shortest counterexample, which was run again and shows what exploration saw.

use crate::explore::expand::Hit;
use crate::explore::explorer::Exploration;
use crate::model::Model;
use crate::run::{Failure, Phase, Run, Verdict};
use highwater_invariants::{InvariantId, Selection};

/// Operations that violate an invariant. Within the bounds there are none shorter.
#[derive(Clone, Debug)]
pub struct Counterexample<M: Model> {
    /// The operations.
    pub operations: Vec<M::Operation>,
    /// What they violate, and where.
    pub failure: Failure,
}

impl<M: Model> Counterexample<M> {
    /// Runs the operations as any other engine would, and makes sure that they violate the same.
    ///
    /// # Panics
    /// If they do not: exploration has gone wrong, and nothing that it says can be trusted.
    pub(super) fn confirmed(
        exploration: &Exploration<'_, M>,
        operations: Vec<M::Operation>,
        hit: &Hit,
    ) -> Self {
        let verdict = run(
            exploration.model,
            &exploration.settings,
            &operations,
            exploration.selection,
            hit.phase != Phase::Operations,
        );
        let failure = verdict.failure_of(hit.violation.invariant);
        let is_the_same = |failure: &&Failure| {
            failure.violation == hit.violation
                && failure.phase == hit.phase
                && failure.operation == operations.len()
        };
        let failure = failure.filter(is_the_same).cloned();
        let failure = failure.unwrap_or_else(|| {
            panic!(
                "exploration found a violation of {} that a run of the same operations does not \
                 show; this is a bug of highwater: {operations:?}",
                hit.violation.invariant.name()
            )
        });
        Self { operations, failure }
    }

    /// The violation that these operations show and that is not one of `known`.
    pub(super) fn again(
        exploration: &Exploration<'_, M>,
        operations: Vec<M::Operation>,
        known: &[InvariantId],
    ) -> Option<Self> {
        let Exploration { model, settings, selection, .. } = exploration;
        let verdict = run(*model, settings, &operations, *selection, true);
        let is_it = |failure: &&Failure| {
            failure.operation == operations.len() && !known.contains(&failure.invariant())
        };
        let failure = verdict.failures.iter().find(is_it)?.clone();
        Some(Self { operations, failure })
    }
}

/// Runs operations, and then to the end if `second_phase` is asked for.
fn run<M: Model>(
    model: &M,
    settings: &M::Settings,
    operations: &[M::Operation],
    selection: Selection,
    second_phase: bool,
) -> Verdict {
    let mut run = Run::new(model, settings, selection);
    for &operation in operations {
        run.apply(operation);
    }
    if second_phase {
        run.finish();
    }
    run.verdict()
}
