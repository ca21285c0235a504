//! An exploration, and running it.

use crate::explore::bounds::Bounds;
use crate::explore::checkpoint::{Checkpoint, CheckpointError, Identity};
use crate::explore::explored::{Explored, Limits, Progress};
use crate::explore::search::Search;
use crate::explore::table::Fingerprint;
use crate::model::Model;
use highwater_invariants::{Renaming, Selection};

/// An exploration to be run.
#[derive(Debug)]
pub struct Exploration<'m, M: Model> {
    /// The model that is explored.
    pub model: &'m M,
    /// Its configuration.
    pub settings: M::Settings,
    /// Which operations are offered, and how often.
    pub bounds: Bounds,
    /// Which invariants are checked.
    pub selection: Selection,
    /// Whether each state is also run to the end: left to itself, and then with faults stopped.
    pub second_phase: bool,
    /// Whether it goes on after a violation, and reports the first of each invariant.
    pub keep_going: bool,
    /// Whether fingerprints have 128 bits rather than 64.
    pub is_wide: bool,
    /// Renamings of nodes under which states count as one: [`Model::symmetries`], or none.
    pub symmetries: Vec<Renaming>,
    /// What ends it.
    pub limits: Limits,
}

impl<M> Exploration<'_, M>
where
    M: Model + Sync,
    M::Settings: Sync,
    M::State: Send + Sync,
    M::Operation: Send + Sync,
{
    /// Explores on the current rayon pool. `go_on` is asked and `on_progress` told after every chunk
    /// of states.
    pub fn run(&self, go_on: impl Fn() -> bool, on_progress: impl FnMut(Progress)) -> Explored<M> {
        self.run_with(None, go_on, on_progress).unwrap_or_else(|error| {
            unreachable!("without a checkpoint nothing is read or written: {error}")
        })
    }

    /// The same, with every level written to a checkpoint, and begun with the levels that it holds.
    ///
    /// # Errors
    /// The checkpoint cannot be written, is damaged, or is one of another exploration.
    pub fn run_with(
        &self,
        checkpoint: Option<&Checkpoint>,
        go_on: impl Fn() -> bool,
        mut on_progress: impl FnMut(Progress),
    ) -> Result<Explored<M>, CheckpointError> {
        let mut search = Search::new(self, checkpoint)?;
        loop {
            if let Some(ended) = search.expand_level(&go_on, &mut on_progress)? {
                return Ok(search.conclude(ended));
            }
        }
    }
}

impl<M: Model> Exploration<'_, M> {
    /// What is explored, for checkpoints.
    pub(super) fn identity(&self, initial: Fingerprint) -> Identity {
        Identity {
            format: "highwater-checkpoint/1".into(),
            highwater: env!("CARGO_PKG_VERSION").into(),
            model: M::NAME.into(),
            parameters: self.model.parameters(),
            settings: format!("{:?}", self.settings),
            bounds: self.bounds.to_string(),
            invariants: self.selection.iter().map(|id| id.name().to_owned()).collect(),
            second_phase: self.second_phase,
            keep_going: self.keep_going,
            symmetry: !self.symmetries.is_empty(),
            fingerprint_bits: if self.is_wide { 128 } else { 64 },
            initial: format!("{:?}", initial.words()),
        }
    }
}
