//! Going on with the levels of a checkpoint.

use crate::explore::checkpoint::{CheckpointError, StoredLevel};
use crate::explore::counterexample::Counterexample;
use crate::explore::expand::Counts;
use crate::explore::levels::{Choice, Level};
use crate::explore::search::Search;
use crate::explore::table::Inserted;
use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where a violation was found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) level: usize,
    pub(super) state: usize,
    pub(super) choice: Option<Choice>,
}

/// What a checkpoint keeps of an exploration beside its states.
#[derive(Serialize, Deserialize)]
struct Notes {
    counts: Counts,
    found: Vec<Found>,
}

impl<M> Search<'_, M>
where
    M: Model + Sync,
    M::Settings: Sync,
    M::State: Send + Sync,
    M::Operation: Send + Sync,
{
    /// Takes over the levels of a checkpoint.
    pub(super) fn restore(
        &mut self,
        folder: &Path,
        stored: Vec<StoredLevel>,
    ) -> Result<(), CheckpointError> {
        let damaged = |reason: &str| CheckpointError::new(folder, reason);
        for stored in stored {
            if let Some(before) = self.levels.last_mut() {
                let children: u64 = stored.children.iter().map(|&number| u64::from(number)).sum();
                if stored.children.len() != before.len() || children != stored.states.len() as u64 {
                    return Err(damaged("its levels do not fit together"));
                }
                for number in stored.children {
                    before.note_children(number);
                }
            }
            if !self.make_room(stored.states.len()) {
                return Err(damaged("it does not fit into --max-memory"));
            }
            let mut level = Level::default();
            for (choice, fingerprint) in stored.states {
                level.push(choice);
                if self.table.insert(fingerprint) != Inserted::New {
                    return Err(damaged("it holds a state twice"));
                }
            }
            self.distinct += level.len() as u64;
            self.levels.push(level);
            let notes: Notes = serde_json::from_str(&stored.notes)
                .map_err(|error| damaged(&format!("its notes cannot be read: {error}")))?;
            (self.counts, self.found) = (notes.counts, notes.found);
        }
        for found in self.found.clone() {
            let operations = self.operations_to(found);
            let known = self.counterexamples.iter().map(|one| one.failure.invariant());
            let known: Vec<_> = known.collect();
            let counterexample = Counterexample::again(self.exploration, operations, &known);
            self.counterexamples.push(
                counterexample
                    .ok_or_else(|| damaged("a violation that it tells of does not show again"))?,
            );
        }
        Ok(())
    }

    pub(super) fn notes(&self) -> String {
        let notes = Notes { counts: self.counts.clone(), found: self.found.clone() };
        serde_json::to_string(&notes).unwrap_or_default()
    }
}
