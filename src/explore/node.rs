//! A state as an exploration sees it: the partition, what has been promised, what of the bounds has
//! been used.

use crate::explore::bounds::{Bounds, Used};
use crate::explore::table::Fingerprint;
use crate::model::{Model, Words};
use highwater_invariants::{Canonical, Checker, Event, Observer, Renaming, Selection, Sink};

/// How states are reached and told apart. What the engine here uses is public, so that another
/// engine can be held against it on the very same states.
pub struct Space<'m, M: Model> {
    /// The model.
    pub model: &'m M,
    /// Which operations are offered, and how often.
    pub bounds: &'m Bounds,
    /// Whether fingerprints have 128 bits rather than 64.
    pub is_wide: bool,
    /// Renamings of nodes under which states count as one; empty if names matter.
    pub symmetries: &'m [Renaming],
}

/// A state.
pub struct Node<M: Model> {
    /// The partition.
    pub state: M::State,
    /// What has been promised, and what the invariants remember.
    pub checker: Checker,
    used: Used,
}

impl<M: Model> Clone for Node<M> {
    #[inline]
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), checker: self.checker.clone(), used: self.used }
    }

    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
        self.checker.clone_from(&other.checker);
        self.used = other.used;
    }
}

impl<M: Model> Node<M> {
    /// The initial state.
    pub fn initial(model: &M, settings: &M::Settings, selection: Selection) -> Self {
        let state = model.initial(settings);
        let checker = Checker::new(selection, &state);
        Self { state, checker, used: Used::default() }
    }
}

impl<M: Model> Space<'_, M> {
    /// The operations that are tried in a state, each with its place among all that are offered.
    pub fn offered(&self, node: &Node<M>, offered: &mut Vec<M::Operation>) {
        offered.clear();
        self.model.offered(&node.state, offered);
    }

    /// Whether the bounds allow an operation.
    #[inline]
    pub fn allows(&self, node: &Node<M>, operation: M::Operation) -> bool {
        self.bounds.allow(M::class(operation), &node.used)
    }

    /// Applies an operation that is offered and checks everything. What is refused counts for no
    /// bound.
    #[inline]
    pub fn apply(&self, node: &mut Node<M>, operation: M::Operation) -> M::Outcome {
        let outcome = self.model.apply_offered(&mut node.state, operation, &mut node.checker);
        node.checker.observe(Event::OperationEnded, &node.state);
        if !M::is_refusal(outcome) {
            self.bounds.count(M::class(operation), &mut node.used);
        }
        outcome
    }

    /// Writes everything on which what follows depends: the identity of a state.
    #[inline]
    pub fn encode(&self, node: &Node<M>, sink: &mut impl Sink) {
        self.model.encode(&node.state, sink);
        node.checker.encode(sink);
        encode_used(node.used, sink);
    }

    /// The fingerprint of a state's identity. `words` is room to work in.
    #[inline]
    pub fn fingerprint(&self, node: &Node<M>, words: &mut Words) -> Fingerprint {
        if self.symmetries.is_empty() {
            words.clear();
            self.encode(node, words);
            return self.hash(words);
        }
        let renamed = self.symmetries.iter().map(|renaming| {
            words.clear();
            self.model.encode_renamed(&node.state, renaming, words);
            node.checker.encode_renamed(renaming, words);
            encode_used(node.used, words);
            self.hash(words)
        });
        // Whatever the nodes are called, the least is the same.
        renamed.min().unwrap_or_else(|| unreachable!("there is one renaming at least"))
    }

    #[inline]
    fn hash(&self, words: &Words) -> Fingerprint {
        if self.is_wide {
            Fingerprint::wide(words.wide_hash())
        } else {
            Fingerprint::narrow(words.hash())
        }
    }
}

#[inline]
fn encode_used(used: Used, sink: &mut impl Sink) {
    for used in used.chunks(8) {
        sink.word(used.iter().fold(0, |word, &used| word << 8 | u64::from(used)));
    }
}
