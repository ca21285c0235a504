//! Fewer nodes.

use super::{Case, Shrinker};
use crate::model::Simplify;

/// True if a node could go.
pub(super) fn run<M: Simplify, G: FnMut() -> bool>(
    shrinker: &mut Shrinker<'_, M, G>,
    case: &mut Case<M>,
) -> bool {
    let mut has_changed = false;
    let mut node = highwater_invariants::MAX_NODES;
    while node > 0 {
        node -= 1;
        let fewer = M::without_node(&case.settings, &case.operations, node);
        let improved = fewer
            .is_some_and(|(settings, operations)| shrinker.improve(case, &settings, &operations));
        if improved {
            case.removed_nodes.push(node);
            has_changed = true;
        }
    }
    has_changed
}
