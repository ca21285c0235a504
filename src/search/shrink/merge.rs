//! Replaces two operations, one after the other, by one that may do for both: runs of ticks become
//! one `run_until_idle`.

use super::{Case, Shrinker};
use crate::model::Simplify;

/// True if anything was merged.
pub(super) fn run<M: Simplify, G: FnMut() -> bool>(
    shrinker: &mut Shrinker<'_, M, G>,
    case: &mut Case<M>,
) -> bool {
    let mut has_changed = false;
    let mut index = 0;
    while index + 1 < case.operations.len() {
        let merged = M::merged(case.operations[index], case.operations[index + 1]);
        let improved = merged.is_some_and(|merged| {
            let (before, after) = (&case.operations[..index], &case.operations[index + 2..]);
            let shorter = [before, &[merged], after].concat();
            shrinker.improve(case, &case.settings.clone(), &shorter)
        });
        has_changed |= improved;
        index += usize::from(!improved);
    }
    has_changed
}
