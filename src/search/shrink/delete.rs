//! Removes operations: runs of them first (delta debugging, Zeller and Hildebrandt 2002), then single
//! ones, from the end, until none can go.

use super::{Case, Shrinker};
use crate::model::Simplify;

/// True if anything was removed.
pub(super) fn run<M: Simplify, G: FnMut() -> bool>(
    shrinker: &mut Shrinker<'_, M, G>,
    case: &mut Case<M>,
) -> bool {
    let before = case.operations.len();
    let mut length = (before / 2).max(1);
    while length > 1 {
        delete_runs(shrinker, case, length);
        length /= 2;
    }
    while delete_runs(shrinker, case, 1) {}
    case.operations.len() < before
}

/// Removes runs of `length` operations wherever that leaves the violation. True if one was removed.
fn delete_runs<M: Simplify, G: FnMut() -> bool>(
    shrinker: &mut Shrinker<'_, M, G>,
    case: &mut Case<M>,
    length: usize,
) -> bool {
    let before = case.operations.len();
    let mut end = before;
    while end > 0 {
        let start = end.saturating_sub(length);
        let shorter = [&case.operations[..start], &case.operations[end..]].concat();
        shrinker.improve(case, &case.settings.clone(), &shorter);
        // The violation may come earlier now, and the sequence end with it.
        end = start.min(case.operations.len());
    }
    case.operations.len() < before
}
