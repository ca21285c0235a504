//! What an engine needs of a model. Engines never name a concrete model.

use highwater_invariants::{Canonical, Checker, Observer, Sink, View};
use std::fmt::Debug;
use xxhash_rust::xxh3::Xxh3;

/// A replicated partition that engines can drive.
///
/// # Contract
/// [`Model::apply`] is total and deterministic: the same operation in equal states gives equal
/// states, equal events and equal outcomes, on every machine. What does not apply in a state is an
/// outcome that says so, never a panic.
pub trait Model {
    /// What a run starts from.
    type Settings: Clone + Debug;
    /// The whole state; cloning it is cheap.
    type State: Clone + View;
    /// Something that is done to the partition.
    type Operation: Copy + Eq + Debug;
    /// What an operation answered.
    type Outcome: Copy + Eq + Debug;

    /// The model's name, as on the command line and in files.
    const NAME: &'static str;

    /// The kinds of operations, by number.
    const KINDS: &'static [&'static str];

    /// The kinds of outcomes, by number.
    const OUTCOMES: &'static [&'static str];

    /// Branches of the protocol that a good search must reach, by number. At most 64.
    const BRANCHES: &'static [&'static str];

    /// The number of an operation's kind in [`Model::KINDS`].
    fn kind(operation: Self::Operation) -> usize;

    /// The number of an outcome's kind in [`Model::OUTCOMES`].
    fn outcome(outcome: Self::Outcome) -> usize;

    /// Which of [`Model::BRANCHES`] the run that led to `state` has reached, as a bit mask.
    fn branches(state: &Self::State) -> u64;

    /// The state in which a run starts.
    fn initial(&self, settings: &Self::Settings) -> Self::State;

    /// Adds the operations that would not be refused in `state` to `enabled`, in a fixed order.
    fn enabled(&self, state: &Self::State, enabled: &mut Vec<Self::Operation>);

    /// Applies one operation, telling `observer` what happens.
    fn apply<O: Observer>(
        &self,
        state: &mut Self::State,
        operation: Self::Operation,
        observer: &mut O,
    ) -> Self::Outcome;

    /// Whether a limit was exceeded that ends the run (a message storm, say). The observer has been
    /// told.
    fn is_halted(&self, state: &Self::State) -> bool;

    /// Leaves the partition to itself until it is idle, and tells `observer` how that ended.
    fn settle<O: Observer>(&self, state: &mut Self::State, observer: &mut O);

    /// Stops all faults, writes until everything is well again or the time for it is over, and tells
    /// `observer` how that ended.
    fn recover<O: Observer>(&self, state: &mut Self::State, observer: &mut O);

    /// Writes the canonical encoding of `state`: its identity when states are compared. Time is
    /// relative in it, and clipped where it stops mattering; message ids are no part of it.
    fn encode(&self, state: &Self::State, sink: &mut impl Sink);

    /// A 64-bit fingerprint of `state` and of what has been promised so far: XXH3 over the
    /// little-endian words of the canonical encoding; the same on every machine and in every build.
    fn fingerprint(&self, state: &Self::State, checker: &Checker) -> u64 {
        let mut hasher = Fingerprint(Xxh3::new());
        self.encode(state, &mut hasher);
        checker.encode(&mut hasher);
        hasher.0.digest()
    }
}

struct Fingerprint(Xxh3);

impl Sink for Fingerprint {
    fn word(&mut self, word: u64) {
        self.0.update(&word.to_le_bytes());
    }
}
