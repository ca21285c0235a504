//! A batch of sequences on one thread.

use crate::model::Model;
use crate::run::{Run, Verdict};
use crate::search::groups::Groups;
use crate::search::{Source, Tally};
use highwater_invariants::Selection;
use std::ops::Range;

/// Two runs of the same sequence that differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Nondeterminism {
    /// The number of the sequence, from 0.
    pub sequence: u64,
    /// The number of the operation after which the states differ, from 1; 0 is the initial state.
    pub operation: usize,
}

/// What a batch gave.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) tally: Tally,
    pub(super) groups: Groups,
    pub(super) nondeterminism: Option<Nondeterminism>,
}

/// How to run sequences.
#[derive(Debug)]
pub(super) struct Job<'a, M: Model, S> {
    pub(super) model: &'a M,
    pub(super) source: &'a S,
    pub(super) seed: u64,
    pub(super) selection: Selection,
    /// Run everything twice and compare.
    pub(super) check_determinism: bool,
}

impl<M: Model, S: Source<M>> Job<'_, M, S> {
    /// Runs the sequences of `range`, in order.
    pub(super) fn run(&self, range: Range<u64>) -> Batch {
        let mut batch =
            Batch { tally: Tally::new::<M>(), groups: Groups::default(), nondeterminism: None };
        let mut operations = Vec::new();
        for sequence in range {
            let settings = self.source.draw(self.seed, sequence, &mut operations);
            if self.check_determinism
                && let Some(operation) = self.first_difference(&settings, &operations)
            {
                batch.nondeterminism = Some(Nondeterminism { sequence, operation });
                return batch;
            }
            let verdict = self.run_one(&settings, &operations, &mut batch.tally);
            batch.groups.count(sequence, &verdict.failures);
        }
        batch
    }

    #[inline]
    fn run_one(
        &self,
        settings: &M::Settings,
        operations: &[M::Operation],
        tally: &mut Tally,
    ) -> Verdict {
        let mut run = Run::new(self.model, settings, self.selection);
        for &operation in operations {
            let outcome = run.apply(operation);
            tally.count_outcome::<M>(operation, outcome);
            if run.is_halted() {
                break;
            }
        }
        let branches = M::branches(run.state());
        run.finish();
        let verdict = run.verdict();
        tally.count_sequence(&verdict, branches);
        verdict
    }

    /// Runs a sequence twice, side by side. The number of the first operation after which outcomes
    /// or fingerprints differ.
    fn first_difference(
        &self,
        settings: &M::Settings,
        operations: &[M::Operation],
    ) -> Option<usize> {
        let new = || Run::new(self.model, settings, self.selection);
        let (mut one, mut two) = (new(), new());
        if one.fingerprint() != two.fingerprint() {
            return Some(0);
        }
        for (&operation, number) in operations.iter().zip(1..) {
            let outcomes = (one.apply(operation), two.apply(operation));
            if outcomes.0 != outcomes.1 || one.fingerprint() != two.fingerprint() {
                return Some(number);
            }
            if one.is_halted() {
                return None;
            }
        }
        one.finish();
        two.finish();
        let differ = one.fingerprint() != two.fingerprint() || one.failures() != two.failures();
        differ.then_some(operations.len())
    }
}
