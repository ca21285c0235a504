//! A batch of sequences on one thread.

use crate::model::Model;
use crate::run::{Failure, Run};
use crate::search::{Source, Tally};
use highwater_invariants::Selection;
use std::ops::Range;

/// A sequence that violates something.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// The number of the sequence, from 0.
    pub sequence: u64,
    /// The first violation of an invariant in it.
    pub failure: Failure,
}

/// What a batch gave.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) tally: Tally,
    pub(super) hits: Vec<Hit>,
}

/// How to run sequences.
#[derive(Debug)]
pub(super) struct Job<'a, M: Model, S> {
    pub(super) model: &'a M,
    pub(super) source: &'a S,
    pub(super) seed: u64,
    pub(super) selection: Selection,
    /// End the batch with the first sequence that violates something.
    pub(super) stop_at_first: bool,
}

impl<M: Model, S: Source<M>> Job<'_, M, S> {
    /// Runs the sequences of `range`, in order.
    pub(super) fn run(&self, range: Range<u64>) -> Batch {
        let mut batch = Batch { tally: Tally::new::<M>(), hits: Vec::new() };
        let mut operations = Vec::new();
        for sequence in range {
            self.run_one(sequence, &mut operations, &mut batch);
            if self.stop_at_first && !batch.hits.is_empty() {
                break;
            }
        }
        batch
    }

    #[inline]
    fn run_one(&self, sequence: u64, operations: &mut Vec<M::Operation>, batch: &mut Batch) {
        let settings = self.source.draw(self.seed, sequence, operations);
        let mut run = Run::new(self.model, &settings, self.selection);
        for &operation in operations.iter() {
            let outcome = run.apply(operation);
            batch.tally.count_outcome::<M>(operation, outcome);
            if run.is_halted() {
                break;
            }
        }
        let branches = M::branches(run.state());
        run.finish();
        let verdict = run.verdict();
        batch.tally.count_sequence(&verdict, branches);
        batch.hits.extend(verdict.failures.into_iter().map(|failure| Hit { sequence, failure }));
    }
}
