//! Sequences of operations, drawn at random as decisions.
//!
//! Every sequence draws its own configuration and its own weights (swarm testing, Groce and others,
//! ISSTA 2012): a sequence in which some operations never occur reaches states that a uniform mix
//! of all operations hardly ever does.

mod configuration;
mod operations;
mod weights;

pub use weights::{Profile, Weights};

use crate::isr::{Operation, Rules, Settings};
use crate::scenario::Dice;
use std::ops::RangeInclusive;

/// Draws configurations and sequences of operations.
#[derive(Clone, PartialEq, Debug)]
pub struct Generator {
    /// Which mix of operations; `None` draws a profile for every sequence.
    pub profile: Option<Profile>,
    /// Weights that replace a profile's.
    pub overrides: Vec<(usize, u32)>,
    /// Which rules the partition follows.
    pub rules: Rules,
    /// How many operations a sequence has.
    pub operations: RangeInclusive<u32>,
}

impl Default for Generator {
    fn default() -> Self {
        Self { profile: None, overrides: Vec::new(), rules: Rules::default(), operations: 5..=40 }
    }
}

impl Generator {
    /// Sequence `index` of `seed`: its operations replace those in `operations`.
    pub fn draw(&self, seed: u64, index: u64, operations: &mut Vec<Operation>) -> Settings {
        let mut dice = Dice::new(seed, index);
        let profile = self.profile.unwrap_or_else(|| dice.pick(&Profile::ALL));
        let settings = configuration::draw(&mut dice, self.rules);
        let mut weights = profile.weights().swarm(&mut dice);
        for &(kind, weight) in &self.overrides {
            weights.set(kind, weight);
        }
        let length = dice.within(&self.operations) as usize;
        operations::draw(&mut dice, &settings, &weights, length, operations);
        settings
    }
}
