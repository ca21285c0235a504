//! A configuration nearer to the defaults.

use super::{Case, Shrinker};
use crate::model::Simplify;

/// True if the configuration could be made simpler.
pub(super) fn run<M: Simplify, G: FnMut() -> bool>(
    shrinker: &mut Shrinker<'_, M, G>,
    case: &mut Case<M>,
) -> bool {
    let mut has_changed = false;
    let mut simpler = Vec::new();
    loop {
        simpler.clear();
        M::simpler_settings(&case.settings, &mut simpler);
        let operations = case.operations.clone();
        if !simpler.iter().any(|settings| shrinker.improve(case, settings, &operations)) {
            return has_changed;
        }
        has_changed = true;
    }
}
