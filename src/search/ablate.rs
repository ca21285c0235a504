//! Is every guard needed? Each is switched off in turn; what is violated then is found and shrunk.

use crate::model::Simplify;
use crate::run::Phase;
use crate::search::shrink::Case;
use crate::search::{Campaign, Ended, Groups, Source, Stop, Tally, shrink_all};
use highwater_invariants::{InvariantId, Selection};
use std::collections::BTreeMap;

/// Sequences that are run in any case, so that the matrix shows more than the first violation.
const SEQUENCES_MIN: u64 = 16_384;

/// What the absence of a guard led to.
#[derive(Debug)]
pub struct Ablation<M: Simplify> {
    /// Sequences that were run.
    pub sequences: u64,
    /// The shortest scenario found for each violated invariant.
    pub shortest: BTreeMap<InvariantId, Case<M>>,
    /// Which sequence each was shrunk from.
    pub found_in: BTreeMap<InvariantId, u64>,
    /// Whether it was interrupted.
    pub is_interrupted: bool,
    /// What was done.
    pub tally: Tally,
}

impl<M: Simplify> Ablation<M> {
    /// The invariant with the shortest scenario, and that.
    pub fn caught_by(&self) -> Option<(InvariantId, &Case<M>)> {
        let size = |(invariant, case): &(InvariantId, &Case<M>)| {
            (case.failure.phase != Phase::Operations, case.operations.len(), *invariant)
        };
        self.shortest.iter().map(|(&invariant, case)| (invariant, case)).min_by_key(size)
    }
}

/// Searches at least some sequences, and on until something is violated, at most `sequences_max`.
pub fn ablate<M, S>(
    model: &M,
    source: &S,
    seed: u64,
    sequences_max: u64,
    go_on: impl Fn() -> bool + Sync,
) -> Ablation<M>
where
    M: Simplify + Sync,
    M::Settings: Send,
    M::Operation: Send,
    S: Source<M>,
{
    let campaign = |start: u64, end: u64| Campaign {
        model,
        source,
        seed,
        range: start..end,
        selection: Selection::ALL,
        stop: if start == 0 { Stop::AtEnd } else { Stop::AtFirstViolation },
        check_determinism: false,
    };
    let first = SEQUENCES_MIN.min(sequences_max);
    let mut results = campaign(0, first).run(&go_on, |_| ());
    if results.groups.is_empty() && results.ended == Ended::Complete && first < sequences_max {
        let more = campaign(first, sequences_max).run(&go_on, |_| ());
        results.tally.add(&more.tally);
        results.groups.add(&more.groups);
        results.ended = more.ended;
    }
    let (shortest, found_in) = shrink(model, source, seed, &results.groups);
    Ablation {
        sequences: results.tally.sequences,
        shortest,
        found_in,
        is_interrupted: results.ended == Ended::Interrupted,
        tally: results.tally,
    }
}

type Shortest<M> = (BTreeMap<InvariantId, Case<M>>, BTreeMap<InvariantId, u64>);

fn shrink<M, S>(model: &M, source: &S, seed: u64, groups: &Groups) -> Shortest<M>
where
    M: Simplify + Sync,
    M::Settings: Send,
    M::Operation: Send,
    S: Source<M>,
{
    let (mut shortest, mut found_in) = (BTreeMap::new(), BTreeMap::new());
    // A violation that does not show again would be nondeterminism, which has its own check.
    let shrunk = shrink_all(model, source, seed, groups, || true, || ()).unwrap_or_default();
    for one in shrunk {
        let invariant = one.target.invariant;
        let size =
            |case: &Case<M>| (case.failure.phase != Phase::Operations, case.operations.len());
        let is_better =
            shortest.get(&invariant).is_none_or(|best: &Case<M>| size(&one.case) < size(best));
        if is_better {
            found_in.insert(invariant, one.candidate.sequence);
            shortest.insert(invariant, one.case);
        }
    }
    (shortest, found_in)
}
