//! Is every guard needed? Each is switched off in turn; what is violated then is found and shrunk.

use crate::model::Simplify;
use crate::run::Phase;
use crate::search::shrink::Case;
use crate::search::{Campaign, Ended, Shrunk, Source, Stop, shrink_all};
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
    pub shortest: BTreeMap<InvariantId, Shrunk<M>>,
    /// Whether it was interrupted.
    pub is_interrupted: bool,
}

impl<M: Simplify> Ablation<M> {
    /// The invariant with the shortest scenario, and that.
    pub fn caught_by(&self) -> Option<(InvariantId, &Shrunk<M>)> {
        let shortest = self.shortest.iter().map(|(&invariant, shrunk)| (invariant, shrunk));
        shortest.min_by_key(|(invariant, shrunk)| (size(&shrunk.case), *invariant))
    }
}

/// A violation that operations show goes before one that shows only after them.
fn size<M: Simplify>(case: &Case<M>) -> (bool, usize) {
    (case.failure.phase != Phase::Operations, case.operations.len())
}

/// Searches for violations of `selection`: at least some sequences, and on until something is violated, at most `sequences_max`.
pub fn ablate<M, S>(
    model: &M,
    source: &S,
    seed: u64,
    sequences_max: u64,
    selection: Selection,
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
        selection,
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
    // A violation that does not show again would be nondeterminism, which has its own check.
    let shrunk = shrink_all(model, source, seed, &results.groups, || true, || ());
    let mut shortest: BTreeMap<_, Shrunk<M>> = BTreeMap::new();
    for one in shrunk.unwrap_or_default() {
        let invariant = one.target.invariant;
        if shortest.get(&invariant).is_none_or(|best| size(&one.case) < size(&best.case)) {
            shortest.insert(invariant, one);
        }
    }
    Ablation {
        sequences: results.tally.sequences,
        shortest,
        is_interrupted: results.ended == Ended::Interrupted,
    }
}
