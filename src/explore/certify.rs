//! Is a scenario as short as it can be? Exploration of everything shorter answers that.

use crate::explore::bounds::Bounds;
use crate::explore::counterexample::Counterexample;
use crate::explore::explored::{Ended, Explored, Limits, Progress};
use crate::explore::explorer::Exploration;
use crate::model::Model;
use crate::run::{Failure, Phase};
use highwater_invariants::Selection;

/// What is known of the length of a scenario.
#[derive(Clone, Debug)]
pub enum Certificate<M: Model> {
    /// No shorter sequence of the same kinds of operations, each at most as often, violates the same
    /// invariant in the same phase.
    Shortest(Explored<M>),
    /// There is a shorter one; this is a shortest.
    Shorter(Box<Counterexample<M>>, Explored<M>),
    /// Exploration ended before it knew.
    Unknown(Explored<M>),
}

/// Explores all sequences that are shorter than `operations`, which fail with `failure`.
///
/// `limits` and `go_on` end it early.
pub fn certify<M>(
    model: &M,
    settings: &M::Settings,
    operations: &[M::Operation],
    failure: &Failure,
    limits: Limits,
    go_on: impl Fn() -> bool,
    on_progress: impl FnMut(Progress),
) -> Certificate<M>
where
    M: Model + Sync,
    M::Settings: Sync,
    M::State: Send + Sync,
    M::Operation: Send + Sync,
{
    let depth_max = operations.len().saturating_sub(1).min(limits.depth_max);
    let exploration = Exploration {
        model,
        settings: settings.clone(),
        bounds: Bounds::of::<M>(operations),
        selection: Selection::only(failure.invariant()),
        second_phase: failure.phase != Phase::Operations,
        keep_going: false,
        is_wide: false,
        symmetries: Vec::new(),
        limits: Limits { depth_max, ..limits },
    };
    if operations.is_empty() {
        let explored = Exploration {
            limits: Limits { depth_max: 0, ..limits },
            second_phase: false,
            ..exploration
        }
        .run(go_on, on_progress);
        return Certificate::Shortest(explored);
    }
    let mut explored = exploration.run(go_on, on_progress);
    let all_was_decided = explored.counts.undecided.is_empty() && explored.counts.halted == 0;
    match explored.ended {
        Ended::AtViolation if !explored.counterexamples.is_empty() => {
            let shorter = explored.counterexamples.swap_remove(0);
            Certificate::Shorter(Box::new(shorter), explored)
        }
        Ended::Exhausted if all_was_decided => Certificate::Shortest(explored),
        Ended::Depth if all_was_decided && depth_max + 1 == operations.len() => {
            Certificate::Shortest(explored)
        }
        _ => Certificate::Unknown(explored),
    }
}
