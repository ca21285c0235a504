//! Many batches in parallel, merged in order.

use crate::model::Model;
use crate::search::batch::{Batch, Job, Nondeterminism};
use crate::search::groups::Groups;
use crate::search::{Source, Tally};
use highwater_invariants::Selection;
use rayon::prelude::*;
use std::ops::Range;

/// Sequences in a batch: the unit of work of a thread, and of what an interrupted search keeps.
const BATCH_SEQUENCES: u64 = 128;
/// Sequences in the first round. It is always run to its end, so that a search that stops soon still
/// has something to say about coverage.
const FIRST_ROUND_SEQUENCES: u64 = 512;
/// Sequences in a round, at most.
const ROUND_SEQUENCES_MAX: u64 = 8192;

/// When a search stops, besides at the end of its range. It looks after every round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// After the first round with a violation.
    AtFirstViolation,
    /// After the first round with so many kinds of violations.
    AtKinds(usize),
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
    /// Whether everything is run twice and compared.
    pub check_determinism: bool,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All sequences were run.
    Complete,
    /// It stopped at violations, as it was asked to.
    Stopped,
    /// It was interrupted: by a deadline, or by the user.
    Interrupted,
    /// Two runs of the same sequence differed.
    Nondeterministic(Nondeterminism),
}

/// What a search gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// Which sequences were run, all of them from the start of the range.
    pub range: Range<u64>,
    /// What was done.
    pub tally: Tally,
    /// Every violation.
    pub groups: Groups,
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
        let mut results = Results {
            range: self.range.start..self.range.start,
            tally: Tally::new::<M>(),
            groups: Groups::default(),
            ended: Ended::Complete,
        };
        while results.range.end < self.range.end && results.ended == Ended::Complete {
            let end = self.range.end.min(round_end(results.range.end));
            self.run_round(end, &go_on, &mut results);
            on_progress(&results);
            let enough = match self.stop {
                Stop::AtFirstViolation => 1,
                Stop::AtKinds(kinds) => kinds.max(1),
                Stop::AtEnd => usize::MAX,
            };
            if results.groups.len() >= enough && results.ended == Ended::Complete {
                results.ended = Ended::Stopped;
            }
        }
        results
    }

    /// Runs sequences up to `end` and merges them in order, as far as they were run.
    fn run_round(&self, end: u64, go_on: &(impl Fn() -> bool + Sync), results: &mut Results) {
        let Self { model, source, seed, selection, check_determinism, .. } = *self;
        let job = Job { model, source, seed, selection, check_determinism };
        let starts: Vec<u64> = (results.range.end..end).step_by(BATCH_SEQUENCES as usize).collect();
        let batches: Vec<Option<Batch>> = starts
            .into_par_iter()
            .map(|start| go_on().then(|| job.run(start..end.min(start + BATCH_SEQUENCES))))
            .collect();
        for batch in batches {
            let Some(batch) = batch else {
                results.ended = Ended::Interrupted;
                return;
            };
            results.tally.add(&batch.tally);
            results.groups.add(&batch.groups);
            results.range.end += batch.tally.sequences;
            if let Some(nondeterminism) = batch.nondeterminism {
                results.ended = Ended::Nondeterministic(nondeterminism);
                return;
            }
        }
    }
}

/// The first place at or behind `sequence` at which a search may stop early. Shards of a search that
/// stops at violations must be cut at such places.
pub fn next_stop(sequence: u64) -> u64 {
    if sequence == 0 { 0 } else { round_end(sequence - 1) }
}

/// Where the round that `sequence` is in ends. Rounds have fixed places, so that the shards of a
/// search stop where the whole search would.
fn round_end(sequence: u64) -> u64 {
    let (mut end, mut length) = (FIRST_ROUND_SEQUENCES, FIRST_ROUND_SEQUENCES);
    while end <= sequence && length < ROUND_SEQUENCES_MAX {
        length *= 2;
        end += length;
    }
    if sequence < end {
        return end;
    }
    let rounds = (sequence - end) / ROUND_SEQUENCES_MAX + 1;
    end.saturating_add(rounds.saturating_mul(ROUND_SEQUENCES_MAX))
}

#[cfg(test)]
mod tests {
    use super::round_end;

    #[test]
    fn rounds_double_and_then_stay_long_and_every_sequence_is_in_one() {
        let mut ends = vec![0];
        while ends.len() < 9 {
            ends.push(round_end(*ends.last().unwrap()));
        }
        assert_eq!(ends, [0, 512, 1536, 3584, 7680, 15872, 24064, 32256, 40448]);
        for pair in ends.windows(2) {
            assert!((pair[0]..pair[1]).all(|sequence| round_end(sequence) == pair[1]));
        }
        assert_eq!(round_end(u64::MAX - 1), u64::MAX);
    }
}
