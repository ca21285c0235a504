//! Replaces an operation by a simpler one: a blocking write for a submitted one, `ALL_ISR` for
//! `LEADER` or the other way round, a crash for an isolation.

use super::{Case, Shrinker};
use crate::model::Simplify;

/// True if anything was replaced.
pub(super) fn run<M: Simplify, G: FnMut() -> bool>(
    shrinker: &mut Shrinker<'_, M, G>,
    case: &mut Case<M>,
) -> bool {
    let mut has_changed = false;
    let mut index = 0;
    let mut simpler = Vec::new();
    while index < case.operations.len() {
        simpler.clear();
        M::simpler_operations(case.operations[index], &mut simpler);
        for &other in &simpler {
            let mut operations = case.operations.clone();
            operations[index] = other;
            if shrinker.improve(case, &case.settings.clone(), &operations) {
                has_changed = true;
                break;
            }
        }
        index += 1;
    }
    has_changed
}
