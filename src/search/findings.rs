//! From groups of violations to shrunk cases.

use crate::model::Simplify;
use crate::search::Source;
use crate::search::groups::{Candidate, Groups};
use crate::search::shrink::{Case, Shrinker, Target};
use rayon::prelude::*;

/// A candidate, shrunk.
#[derive(Clone, Debug)]
pub struct Shrunk<M: Simplify> {
    /// The kind of violation that was hit.
    pub target: Target,
    /// The sequence that hit it.
    pub candidate: Candidate,
    /// The scenario that is left of it. Its failure may be in another phase than the target's: see
    /// [`Shrinker::shrink`].
    pub case: Case<M>,
    /// How many scenarios were tried.
    pub runs: u64,
}

/// Shrinks every candidate of every group, in parallel. The order is that of the groups.
///
/// `go_on` ends shrinking with the best so far. A candidate whose violation does not show again is
/// given back as an error: that would be nondeterminism.
pub fn shrink_all<M, S>(
    model: &M,
    source: &S,
    seed: u64,
    groups: &Groups,
    go_on: impl Fn() -> bool + Sync,
    on_shrunk: impl Fn() + Sync,
) -> Result<Vec<Shrunk<M>>, (Target, Candidate)>
where
    M: Simplify + Sync,
    M::Settings: Send,
    M::Operation: Send,
    S: Source<M>,
{
    let candidates: Vec<_> = groups
        .iter()
        .flat_map(|(target, group)| group.candidates.iter().map(move |&one| (target, one)))
        .collect();
    candidates
        .into_par_iter()
        .map(|(target, candidate)| {
            let mut operations = Vec::new();
            let settings = source.draw(seed, candidate.sequence, &mut operations);
            let mut shrinker = Shrinker::new(model, target, &go_on);
            let case = shrinker.shrink(&settings, &operations).ok_or((target, candidate))?;
            on_shrunk();
            Ok(Shrunk { target, candidate, case, runs: shrinker.runs() })
        })
        .collect()
}
