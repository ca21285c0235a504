//! Numbers nodes, keys and values in the order of their first use. This makes a scenario no shorter
//! and no simpler, only more like others of its shape, so it is done once, at the end.

use super::{Case, Shrinker};
use crate::model::Simplify;

pub(super) fn run<M: Simplify, G: FnMut() -> bool>(
    shrinker: &mut Shrinker<'_, M, G>,
    case: &mut Case<M>,
) {
    let (settings, operations) = M::renamed(&case.settings, &case.operations);
    if operations != case.operations
        && let Some(renamed) = shrinker.try_case(&settings, &operations)
        && renamed.size() <= case.size()
    {
        *case = renamed;
    }
}
