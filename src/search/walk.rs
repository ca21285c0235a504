//! Random walks: sequences of operations each of which applies when its turn comes.

use crate::model::Model;
use crate::scenario::Dice;
use crate::search::Source;
use highwater_invariants::Unobserved;
use std::ops::RangeInclusive;

/// Draws walks through one model from one configuration.
///
/// For models of which an operation drawn blindly would hardly ever apply.
#[derive(Clone, Debug)]
pub struct Walk<M: Model> {
    /// The model.
    pub model: M,
    /// Where every walk starts.
    pub settings: M::Settings,
    /// How often each kind of operation is taken, where several apply, in proportion.
    pub weights: Vec<u32>,
    /// How many operations a walk has, unless nothing applies any more.
    pub operations: RangeInclusive<u32>,
}

impl<M: Model> Walk<M> {
    /// All kinds of operations alike.
    pub fn new(model: M, settings: M::Settings, operations: RangeInclusive<u32>) -> Self {
        Self { model, settings, weights: vec![1; M::KINDS.len()], operations }
    }

    fn weight(&self, operation: M::Operation) -> u32 {
        self.weights[M::kind(operation)]
    }
}

impl<M: Model<Settings: Sync> + Sync> Source<M> for Walk<M> {
    fn draw(&self, seed: u64, index: u64, operations: &mut Vec<M::Operation>) -> M::Settings {
        let mut dice = Dice::new(seed, index);
        let mut state = self.model.initial(&self.settings);
        let mut enabled = Vec::new();
        operations.clear();
        for _ in 0..dice.within(&self.operations) {
            enabled.clear();
            self.model.enabled(&state, &mut enabled);
            let total = enabled.iter().map(|&operation| self.weight(operation)).sum();
            let mut place = dice.below(total);
            let drawn = enabled.iter().find(|&&operation| {
                let weight = self.weight(operation);
                let is_here = place < weight;
                place = place.saturating_sub(weight);
                is_here
            });
            let Some(&operation) = drawn else { break };
            self.model.apply(&mut state, operation, &mut Unobserved);
            operations.push(operation);
        }
        self.settings.clone()
    }
}
