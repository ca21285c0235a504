//! Many batches in parallel, merged in order.

use crate::model::Model;
use crate::search::batch::{Batch, Hit, Job};
use crate::search::{Source, Tally};
use highwater_invariants::Selection;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sequences in a batch. Small, so that a search can stop soon.
const BATCH_SEQUENCES: u64 = 128;
/// Batches between two looks at whether to go on.
const ROUND_BATCHES: u64 = 64;

/// When a search stops, besides at the end of its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// With the first sequence that violates something.
    AtFirstViolation,
    /// Never before the end.
    AtEnd,
}

/// A search to be run.
#[derive(Debug)]
pub struct Campaign<'a, M: Model, S> {
    /// The model that is searched.
    pub model: &'a M,
    /// Where sequences come from.
    pub source: &'a S,
    /// The seed of all of them.
    pub seed: u64,
    /// Which sequences.
    pub range: Range<u64>,
    /// Which invariants are checked.
    pub selection: Selection,
    /// When to stop.
    pub stop: Stop,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All sequences were run, or as many as it takes to find the first violation.
    Complete,
    /// It was told to stop: by a deadline, or by the user.
    Interrupted,
}

/// What a search gave.
#[derive(Clone, Debug)]
pub struct Results {
    /// What was done.
    pub tally: Tally,
    /// Every violation, in the order of sequences.
    pub hits: Vec<Hit>,
    /// How it ended.
    pub ended: Ended,
}

impl<M, S> Campaign<'_, M, S>
where
    M: Model + Sync,
    S: Source<M>,
{
    /// Runs the search on the current rayon pool. `go_on` is asked before every batch;
    /// `on_progress` is told what has been merged so far.
    pub fn run(
        &self,
        go_on: impl Fn() -> bool + Sync,
        mut on_progress: impl FnMut(&Results),
    ) -> Results {
        let tally = Tally::new::<M>();
        let mut results = Results { tally, hits: Vec::new(), ended: Ended::Complete };
        let mut start = self.range.start;
        let mut batches = 4;
        while start < self.range.end {
            let end = self.range.end.min(start.saturating_add(batches * BATCH_SEQUENCES));
            let is_over = self.run_round(start..end, &go_on, &mut results);
            on_progress(&results);
            if is_over {
                break;
            }
            start = end;
            batches = (batches * 2).min(ROUND_BATCHES);
        }
        results
    }

    /// Runs some batches and merges them in order. True if the search is over.
    fn run_round(
        &self,
        range: Range<u64>,
        go_on: &(impl Fn() -> bool + Sync),
        results: &mut Results,
    ) -> bool {
        let stop_at_first = self.stop == Stop::AtFirstViolation;
        let (model, source) = (self.model, self.source);
        let job = Job { model, source, seed: self.seed, selection: self.selection, stop_at_first };
        // Batches behind a violation need not be run. Which ones are skipped depends on time, but
        // none that counts is ever skipped.
        let first_hit = AtomicU64::new(u64::MAX);
        let starts: Vec<u64> = range.clone().step_by(BATCH_SEQUENCES as usize).collect();
        let batches: Vec<Option<Batch>> = starts
            .into_par_iter()
            .map(|start| {
                let is_behind = stop_at_first && start > first_hit.load(Ordering::Relaxed);
                if is_behind || !go_on() {
                    return None;
                }
                let batch = job.run(start..range.end.min(start + BATCH_SEQUENCES));
                if let Some(hit) = batch.hits.first() {
                    first_hit.fetch_min(hit.sequence, Ordering::Relaxed);
                }
                Some(batch)
            })
            .collect();
        for batch in batches {
            let Some(batch) = batch else {
                results.ended = Ended::Interrupted;
                return true;
            };
            results.tally.add(&batch.tally);
            results.hits.extend(batch.hits);
            if stop_at_first && !results.hits.is_empty() {
                return true;
            }
        }
        false
    }
}
