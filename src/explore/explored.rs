//! What an exploration has found out.

use crate::explore::collisions::Collisions;
use crate::explore::counterexample::Counterexample;
use crate::explore::expand::Counts;
use crate::model::Model;
use highwater_invariants::Selection;

/// What ends an exploration before the space is exhausted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most states visited. It is looked at after every chunk of states.
    pub states_max: u64,
    /// The most operations of a way.
    pub depth_max: usize,
    /// The most memory for visited states, in bytes.
    pub memory_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states_max: u64::MAX, depth_max: usize::MAX, memory_max: usize::MAX }
    }
}

/// Why an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every state within the bounds was visited.
    Exhausted,
    /// At a violation.
    AtViolation,
    /// [`Limits::states_max`].
    States,
    /// [`Limits::depth_max`].
    Depth,
    /// [`Limits::memory_max`].
    Memory,
    /// It was interrupted: by a deadline, or by the user.
    Interrupted,
}

/// What an exploration has found out so far, and in the end.
#[derive(Clone, Debug)]
pub struct Explored<M: Model> {
    /// Why it ended.
    pub ended: Ended,
    /// A shortest violation of each violated invariant, the shortest first; one, unless it kept
    /// going.
    pub counterexamples: Vec<Counterexample<M>>,
    /// Which invariants were checked.
    pub checked: Selection,
    /// States of each level: level 0 is the initial state.
    pub levels: Vec<u64>,
    /// States of the last level that were not expanded.
    pub unexpanded: u64,
    /// What was done.
    pub counts: Counts,
    /// How probable it is that two states had the same fingerprint.
    pub collisions: Collisions,
    /// Bytes for visited states: the table and the tree.
    pub bytes: usize,
    /// How full the table is, from 0 to 1.
    pub load: f64,
}

impl<M: Model> Explored<M> {
    /// States visited.
    pub fn distinct(&self) -> u64 {
        self.levels.iter().sum()
    }

    /// States generated: the initial one, and one for each operation applied.
    pub fn generated(&self) -> u64 {
        1 + self.counts.generated
    }

    /// Whether no shorter violation can have been missed: all levels that were begun were done.
    pub fn is_shortest(&self) -> bool {
        matches!(self.ended, Ended::Exhausted | Ended::AtViolation | Ended::Depth)
    }

    /// Whether every state within the bounds was visited, everything that was asked for was decided,
    /// and nothing is violated.
    pub fn is_clean(&self) -> bool {
        self.ended == Ended::Exhausted
            && !self.checked.is_empty()
            && self.counterexamples.is_empty()
            && self.counts.halted == 0
            && self.counts.undecided.is_empty()
    }
}

/// How far it has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The level that is being expanded: the number of operations to its states.
    pub level: usize,
    /// States of that level.
    pub frontier: usize,
    /// Of them, expanded.
    pub expanded: usize,
    /// States visited.
    pub distinct: u64,
    /// States generated.
    pub generated: u64,
    /// How full the table is, from 0 to 1.
    pub load: f64,
    /// Bytes for visited states.
    pub bytes: usize,
}
