//! The ladder: at which smallest size each specification breaks, and whether the next one mends it.

use crate::explore::{Bounds, Ended, Exploration, Limits};
use crate::kip::model::KipModel;
use crate::kip::rules::Preset;
use crate::kip::state::KipSettings;
use highwater_invariants::{InvariantId, Selection};

/// Constants of a specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size {
    /// How many replicas.
    pub replicas: usize,
    /// How many records a log can hold, and how many are ever written.
    pub records: u8,
    /// The last leader epoch.
    pub max_leader_epoch: u8,
}

/// The sizes that are tried, in this order.
pub const SIZES: [Size; 10] = [
    size(2, 1, 0),
    size(2, 1, 1),
    size(2, 1, 2),
    size(2, 2, 0),
    size(2, 2, 1),
    size(2, 2, 2),
    size(3, 1, 0),
    size(3, 1, 1),
    size(3, 1, 2),
    size(3, 2, 1),
];

const fn size(replicas: usize, records: u8, max_leader_epoch: u8) -> Size {
    Size { replicas, records, max_leader_epoch }
}

/// What an exploration of one size gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tried {
    /// Exhausted: it holds; so many states.
    Holds(u64),
    /// It is violated, by so many steps at least.
    Breaks(usize),
    /// It was interrupted.
    Unknown,
}

/// A specification and one of its invariants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rung {
    /// The specification.
    pub preset: Preset,
    /// The invariant.
    pub invariant: InvariantId,
    /// The first size at which it breaks, in how many steps; `None` if it holds at all of them.
    pub breaks: Option<(Size, usize)>,
    /// The next specification, and what it does at that size.
    pub next: Option<(Preset, Tried)>,
}

/// Explores one specification at one size on the current rayon pool.
pub fn explore(
    preset: Preset,
    size: Size,
    invariant: InvariantId,
    go_on: impl Fn() -> bool,
) -> Tried {
    let Size { replicas, records, max_leader_epoch } = size;
    let exploration = Exploration {
        model: &KipModel,
        settings: KipSettings {
            replicas,
            log_size: records,
            max_records: records,
            max_leader_epoch,
            rules: preset.rules(),
        },
        bounds: Bounds::none::<KipModel>(),
        selection: Selection::only(invariant),
        second_phase: false,
        keep_going: false,
        is_wide: false,
        symmetries: Vec::new(),
        limits: Limits::default(),
    };
    let explored = exploration.run(go_on, |_| ());
    match (explored.counterexamples.first(), explored.ended) {
        (Some(counterexample), _) => Tried::Breaks(counterexample.operations.len()),
        (None, Ended::Exhausted) => Tried::Holds(explored.distinct()),
        (None, _) => Tried::Unknown,
    }
}

/// Every rung; `None` if it was interrupted.
pub fn ladder(go_on: impl Fn() -> bool) -> Option<Vec<Rung>> {
    let mut rungs = Vec::new();
    for (index, preset) in Preset::ALL.into_iter().enumerate() {
        for invariant in [InvariantId::WeakIsr, InvariantId::StrongIsr] {
            let mut breaks = None;
            for size in SIZES {
                match explore(preset, size, invariant, &go_on) {
                    Tried::Holds(_) => {}
                    Tried::Breaks(steps) => {
                        breaks = Some((size, steps));
                        break;
                    }
                    Tried::Unknown => return None,
                }
            }
            let next = Preset::ALL.get(index + 1).copied();
            let next = breaks
                .zip(next)
                .map(|((size, _), next)| (next, explore(next, size, invariant, &go_on)));
            rungs.push(Rung { preset, invariant, breaks, next });
        }
    }
    Some(rungs)
}
