//! Makes a failing sequence short. One file per pass.
//!
//! The violation may not drift: the same invariant must stay violated by the same kind of evidence.

mod delete;

use crate::model::Model;
use crate::run::{Failure, Run};
use highwater_invariants::{InvariantId, Selection};

/// What must still be violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The invariant.
    pub invariant: InvariantId,
    /// The kind of its evidence.
    pub kind: &'static str,
}

impl Target {
    /// To violate the same as `failure`.
    pub fn of(failure: &Failure) -> Self {
        Self { invariant: failure.invariant(), kind: failure.violation.evidence.kind() }
    }
}

/// A failing sequence.
#[derive(Clone, Debug)]
pub struct Case<M: Model> {
    /// Its configuration.
    pub settings: M::Settings,
    /// Its operations; the last one is the one that violates, or all are needed for a later phase.
    pub operations: Vec<M::Operation>,
    /// How it fails.
    pub failure: Failure,
}

/// Shrinks sequences of one model towards one violation.
#[derive(Debug)]
pub struct Shrinker<'m, M: Model> {
    model: &'m M,
    target: Target,
    runs: u64,
}

impl<'m, M: Model> Shrinker<'m, M> {
    /// A shrinker that keeps `target` violated.
    pub fn new(model: &'m M, target: Target) -> Self {
        Self { model, target, runs: 0 }
    }

    /// How many sequences were tried so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Runs a sequence. If it violates the target, the sequence up to the violation.
    pub fn try_case(
        &mut self,
        settings: &M::Settings,
        operations: &[M::Operation],
    ) -> Option<Case<M>> {
        self.runs += 1;
        let mut run = Run::new(self.model, settings, Selection::only(self.target.invariant));
        for &operation in operations {
            run.apply(operation);
            if run.is_halted() || !run.failures().is_empty() {
                break;
            }
        }
        if run.failures().is_empty() {
            run.finish();
        }
        let failure = run.failures().first()?.clone();
        if failure.violation.evidence.kind() != self.target.kind {
            return None;
        }
        let operations = operations[..failure.operation].to_vec();
        Some(Case { settings: settings.clone(), operations, failure })
    }

    /// The shortest sequence that removing operations leads to. `None` if `operations` does not
    /// violate the target to begin with.
    pub fn shrink(
        &mut self,
        settings: &M::Settings,
        operations: &[M::Operation],
    ) -> Option<Case<M>> {
        let mut case = self.try_case(settings, operations)?;
        while delete::run(self, &mut case) {}
        Some(case)
    }
}
