//! Removes operations: runs of them first (delta debugging, Zeller and Hildebrandt 2002), then single
//! ones, from the end, until none can go.

use crate::model::Model;
use crate::search::shrink::{Case, Shrinker};

/// True if anything was removed.
pub(super) fn run<M: Model>(shrinker: &mut Shrinker<'_, M>, case: &mut Case<M>) -> bool {
    let before = case.operations.len();
    let mut length = (before / 2).max(1);
    loop {
        delete_runs(shrinker, case, length);
        if length == 1 {
            break;
        }
        length /= 2;
    }
    case.operations.len() < before
}

/// Removes runs of `length` operations wherever that leaves the violation.
fn delete_runs<M: Model>(shrinker: &mut Shrinker<'_, M>, case: &mut Case<M>, length: usize) {
    let mut end = case.operations.len();
    let mut shorter = Vec::with_capacity(end);
    while end > 0 {
        let start = end.saturating_sub(length);
        shorter.clear();
        shorter.extend_from_slice(&case.operations[..start]);
        shorter.extend_from_slice(&case.operations[end..]);
        if let Some(found) = shrinker.try_case(&case.settings, &shorter) {
            *case = found;
            // The violation may come earlier now, and the sequence end with it.
            end = start.min(case.operations.len());
        } else {
            end = start;
        }
    }
}
