//! What an engine needs of a model. Engines never name a concrete model.

use highwater_invariants::{Canonical, Checker, Observer, Renaming, Sink, View};
use std::fmt::Debug;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

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

    /// What the operations of an exploration are bounded by, by number: the kinds, where a model
    /// does not tell more apart.
    const CLASSES: &'static [&'static str] = Self::KINDS;

    /// The number of an operation's class in [`Model::CLASSES`].
    fn class(operation: Self::Operation) -> usize {
        Self::kind(operation)
    }

    /// What the model itself is set to, such as what it offers: part of what is explored.
    fn parameters(&self) -> String {
        String::new()
    }

    /// The number of an operation's kind in [`Model::KINDS`].
    fn kind(operation: Self::Operation) -> usize;

    /// The number of an outcome's kind in [`Model::OUTCOMES`].
    fn outcome(outcome: Self::Outcome) -> usize;

    /// Whether the operation was refused because it does not apply. It may have changed something
    /// all the same.
    fn is_refusal(outcome: Self::Outcome) -> bool;

    /// Which of [`Model::BRANCHES`] the run that led to `state` has reached, as a bit mask.
    fn branches(state: &Self::State) -> u64;

    /// The state in which a run starts.
    fn initial(&self, settings: &Self::Settings) -> Self::State;

    /// Adds the operations that would not be refused in `state` to `enabled`, in a fixed order.
    fn enabled(&self, state: &Self::State, enabled: &mut Vec<Self::Operation>);

    /// Adds the operations that an exploration tries in `state` to `offered`, in a fixed order: all
    /// that are enabled, and maybe some that turn out to be refused. At most 65,536.
    fn offered(&self, state: &Self::State, offered: &mut Vec<Self::Operation>) {
        self.enabled(state, offered);
    }

    /// Applies one operation, telling `observer` what happens.
    fn apply<O: Observer>(
        &self,
        state: &mut Self::State,
        operation: Self::Operation,
        observer: &mut O,
    ) -> Self::Outcome;

    /// The same for an operation that [`Model::offered`] has offered in this very state.
    #[inline]
    fn apply_offered<O: Observer>(
        &self,
        state: &mut Self::State,
        operation: Self::Operation,
        observer: &mut O,
    ) -> Self::Outcome {
        self.apply(state, operation, observer)
    }

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

    /// All renamings of nodes under which the model behaves the same, the identity first.
    ///
    /// # Errors
    /// Why there is none but that: the order of nodes matters to the model.
    fn symmetries(&self, settings: &Self::Settings) -> Result<Vec<Renaming>, String> {
        let _ = settings;
        Err(format!("names of nodes matter to the model {}", Self::NAME))
    }

    /// The canonical encoding that `state` would have if nodes had other names; what cannot make a
    /// difference, such as the order of messages to different nodes, is made the same. Only for
    /// [`Model::symmetries`].
    fn encode_renamed(&self, state: &Self::State, renaming: &Renaming, sink: &mut impl Sink) {
        let _ = renaming;
        self.encode(state, sink);
    }

    /// A 64-bit fingerprint of `state` and of what has been promised so far: XXH3 over the
    /// little-endian words of the canonical encoding; the same on every machine and in every build.
    fn fingerprint(&self, state: &Self::State, checker: &Checker) -> u64 {
        let mut words = Words::default();
        self.encode(state, &mut words);
        checker.encode(&mut words);
        words.hash()
    }
}

/// The words of an encoding, to be hashed.
#[derive(Clone, Debug, Default)]
pub struct Words(Vec<u8>);

impl Words {
    /// Forgets them, and keeps the room.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// XXH3 with 64 bits over the little-endian words.
    pub fn hash(&self) -> u64 {
        xxh3_64(&self.0)
    }

    /// XXH3 with 128 bits over the little-endian words.
    pub fn wide_hash(&self) -> u128 {
        xxh3_128(&self.0)
    }
}

impl Sink for Words {
    #[inline]
    fn word(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }
}

/// A model whose scenarios can be made simpler, so that a counterexample can be shrunk to the bone.
///
/// Simpler is a matter of taste, not of truth: whether a simpler scenario still fails is found by
/// running it. [`Simplify::complexity`] only makes sure that shrinking ends.
pub trait Simplify: Model {
    /// How complicated a scenario of a given length is. What the other methods offer is tried only
    /// if it is shorter, or as long and less complicated.
    fn complexity(settings: &Self::Settings, operations: &[Self::Operation]) -> u64;

    /// Adds simpler operations that may do instead of `operation`, the simplest first.
    fn simpler_operations(operation: Self::Operation, simpler: &mut Vec<Self::Operation>);

    /// The operations that the second phase of a run stands for, written out: faults stop, then
    /// some writes. With them a violation that shows only there can be shown by operations alone.
    fn written_out_recovery(settings: &Self::Settings) -> Vec<Self::Operation>;

    /// One operation that may do instead of these two, one after the other.
    fn merged(first: Self::Operation, second: Self::Operation) -> Option<Self::Operation>;

    /// Adds simpler configurations that may do for the same operations.
    fn simpler_settings(settings: &Self::Settings, simpler: &mut Vec<Self::Settings>);

    /// The scenario without its node number `node`, if there would still be nodes enough. Operations
    /// on that node go, later nodes move up.
    fn without_node(
        settings: &Self::Settings,
        operations: &[Self::Operation],
        node: usize,
    ) -> Option<(Self::Settings, Vec<Self::Operation>)>;

    /// The scenario with nodes, keys and values numbered in the order of their first use.
    fn renamed(
        settings: &Self::Settings,
        operations: &[Self::Operation],
    ) -> (Self::Settings, Vec<Self::Operation>);
}
