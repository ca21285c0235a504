//! Where a search's sequences come from.

use crate::isr::{IsrModel, Operation, Settings};
use crate::model::Model;
use crate::scenario::generate::Generator;

/// Draws sequences for a model.
pub trait Source<M: Model>: Sync {
    /// Sequence `index` of `seed`: its operations replace those in `operations`. The same on every
    /// call, thread and machine.
    fn draw(&self, seed: u64, index: u64, operations: &mut Vec<M::Operation>) -> M::Settings;
}

impl Source<IsrModel> for Generator {
    #[inline]
    fn draw(&self, seed: u64, index: u64, operations: &mut Vec<Operation>) -> Settings {
        Self::draw(self, seed, index, operations)
    }
}
