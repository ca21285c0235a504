//! Walks through a model in which only what is enabled is done.

use crate::model::Model;
use highwater_invariants::Unobserved;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Sequences of operations of any model, each enabled when its turn comes. They shrink towards fewer
/// operations, and towards those that the model offers first.
///
/// For models of which operations drawn blindly would hardly ever apply:
///
/// ```
/// use highwater::kip::{KipModel, KipSettings, Preset, Stepwise};
/// use highwater::run::run;
/// use highwater::strategy;
/// use proptest::prelude::*;
///
/// const SETTINGS: KipSettings = KipSettings {
///     replicas: 3,
///     log_size: 2,
///     max_records: 2,
///     max_leader_epoch: 2,
///     rules: Preset::Kip320.rules(),
/// };
///
/// proptest! {
///     # #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
///     // (with #[test] in a test module)
///     fn kip_320_loses_nothing(steps in strategy::walk(KipModel, SETTINGS, 1..=40)) {
///         let verdict = run(&KipModel, &SETTINGS, &steps, KipModel::APPLICABLE);
///         prop_assert!(verdict.is_clean(), "{:?}", verdict.failures);
///     }
/// }
/// # kip_320_loses_nothing();
/// ```
pub fn walk<M>(
    model: M,
    settings: M::Settings,
    operations: RangeInclusive<usize>,
) -> impl Strategy<Value = Vec<M::Operation>>
where
    M: Model<Operation: Debug> + Clone,
{
    vec(any::<Index>(), operations).prop_map(move |choices| {
        let mut state = model.initial(&settings);
        let (mut walk, mut enabled) = (Vec::new(), Vec::new());
        for choice in choices {
            enabled.clear();
            model.enabled(&state, &mut enabled);
            if enabled.is_empty() {
                break;
            }
            let operation = *choice.get(&enabled);
            model.apply(&mut state, operation, &mut Unobserved);
            walk.push(operation);
        }
        walk
    })
}
