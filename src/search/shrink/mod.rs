//! Makes a failing scenario as short and as simple as it can be. One file per pass; the passes are
//! repeated until none of them changes anything.
//!
//! The violation may not drift: the same invariant must stay violated, by the same kind of evidence,
//! in the same phase of the run.
//! Shorter goes before simpler, and every step is strictly one or the other, so shrinking ends.

mod configuration;
mod delete;
mod merge;
mod nodes;
mod rename;
mod replace;

use crate::model::Simplify;
use crate::run::{Failure, Phase, Run};
use highwater_invariants::{InvariantId, Selection};

/// What must still be violated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The invariant.
    pub invariant: InvariantId,
    /// The kind of its evidence.
    pub kind: &'static str,
    /// The phase in which it shows.
    pub phase: Phase,
}

impl Target {
    /// To violate the same as `failure`.
    pub fn of(failure: &Failure) -> Self {
        Self {
            invariant: failure.invariant(),
            kind: failure.violation.evidence.kind(),
            phase: failure.phase,
        }
    }
}

/// A failing scenario.
#[derive(Clone, Debug)]
pub struct Case<M: Simplify> {
    /// Its configuration.
    pub settings: M::Settings,
    /// Its operations, up to the one that violates; all of them if the violation shows later.
    pub operations: Vec<M::Operation>,
    /// How it fails.
    pub failure: Failure,
    /// Which nodes were taken out, one after the other, each by its number at that moment.
    pub removed_nodes: Vec<usize>,
}

impl<M: Simplify> Case<M> {
    fn size(&self) -> (usize, u64) {
        (self.operations.len(), M::complexity(&self.settings, &self.operations))
    }
}

/// Shrinks scenarios of one model towards one violation.
#[derive(Debug)]
pub struct Shrinker<'m, M, G> {
    model: &'m M,
    target: Target,
    go_on: G,
    keep_names: bool,
    runs: u64,
}

impl<'m, M: Simplify, G: FnMut() -> bool> Shrinker<'m, M, G> {
    /// A shrinker that keeps `target` violated, for as long as `go_on` says so.
    pub fn new(model: &'m M, target: Target, go_on: G) -> Self {
        Self { model, target, go_on, keep_names: false, runs: 0 }
    }

    /// Leaves nodes, keys and values the names that they have.
    #[must_use]
    pub fn keep_names(self) -> Self {
        Self { keep_names: true, ..self }
    }

    /// How many scenarios were tried so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The shortest and simplest scenario that the passes lead to, or the best so far when `go_on`
    /// ends it. `None` if this one does not violate the target to begin with.
    pub fn shrink(
        &mut self,
        settings: &M::Settings,
        operations: &[M::Operation],
    ) -> Option<Case<M>> {
        let mut case = self.try_case(settings, operations)?;
        if let Some(written_out) = self.write_out(&case) {
            self.target = Target::of(&written_out.failure);
            case = written_out;
        }
        let mut has_changed = true;
        while has_changed && (self.go_on)() {
            has_changed = delete::run(self, &mut case);
            has_changed |= merge::run(self, &mut case);
            has_changed |= nodes::run(self, &mut case);
            has_changed |= replace::run(self, &mut case);
            has_changed |= configuration::run(self, &mut case);
        }
        if !self.keep_names {
            rename::run(self, &mut case);
        }
        Some(case)
    }

    /// A violation that shows only in the second phase, shown by operations instead: longer, but a
    /// reader sees what happens. Not for what only the second phase can show.
    fn write_out(&mut self, case: &Case<M>) -> Option<Case<M>> {
        if self.target.phase == Phase::Operations {
            return None;
        }
        let longer = [case.operations.clone(), M::written_out_recovery(&case.settings)].concat();
        let target = Target { phase: Phase::Operations, ..self.target };
        let mut shrinker = Shrinker::new(self.model, target, || true);
        let written_out = shrinker.try_case(&case.settings, &longer);
        self.runs += shrinker.runs;
        written_out
    }

    /// Runs a scenario. If it violates the target, the scenario up to the violation.
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
        if run.failures().is_empty() && self.target.phase != Phase::Operations {
            run.finish();
        }
        let failure = run.failures().first()?.clone();
        if Target::of(&failure) != self.target {
            return None;
        }
        let operations = operations[..failure.operation].to_vec();
        let settings = settings.clone();
        Some(Case { settings, operations, failure, removed_nodes: Vec::new() })
    }

    /// Takes a candidate in place of `case` if it still fails and is shorter or simpler.
    fn improve(
        &mut self,
        case: &mut Case<M>,
        settings: &M::Settings,
        operations: &[M::Operation],
    ) -> bool {
        if !(self.go_on)() {
            return false;
        }
        match self.try_case(settings, operations) {
            Some(better) if better.size() < case.size() => {
                let removed_nodes = std::mem::take(&mut case.removed_nodes);
                *case = Case { removed_nodes, ..better };
                true
            }
            _ => false,
        }
    }
}
