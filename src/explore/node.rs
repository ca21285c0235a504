//! A state as an exploration sees it: the partition, what has been promised, what of the bounds has
//! been used.

use crate::explore::bounds::{Bounds, Used};
use crate::explore::table::Fingerprint;
use crate::model::{Model, Words};
use highwater_invariants::{Canonical, Checker, Event, Observer, Selection, Sink};

/// How states are reached and told apart.
pub(super) struct Space<'m, M: Model> {
    pub(super) model: &'m M,
    pub(super) bounds: &'m Bounds,
    pub(super) is_wide: bool,
}

/// A state.
pub(super) struct Node<M: Model> {
    pub(super) state: M::State,
    pub(super) checker: Checker,
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
    pub(super) fn initial(model: &M, settings: &M::Settings, selection: Selection) -> Self {
        let state = model.initial(settings);
        let checker = Checker::new(selection, &state);
        Self { state, checker, used: Used::default() }
    }
}

impl<M: Model> Space<'_, M> {
    /// The operations that are tried in a state, each with its place among all that are offered.
    pub(super) fn offered(&self, node: &Node<M>, offered: &mut Vec<M::Operation>) {
        offered.clear();
        self.model.offered(&node.state, offered);
    }

    /// Whether the bounds allow an operation.
    #[inline]
    pub(super) fn allows(&self, node: &Node<M>, operation: M::Operation) -> bool {
        self.bounds.allow(M::class(operation), &node.used)
    }

    /// Applies an operation and checks everything. What is refused counts for no bound.
    #[inline]
    pub(super) fn apply(&self, node: &mut Node<M>, operation: M::Operation) -> M::Outcome {
        let outcome = self.model.apply(&mut node.state, operation, &mut node.checker);
        node.checker.observe(Event::OperationEnded, &node.state);
        if !M::is_refusal(outcome) {
            self.bounds.count(M::class(operation), &mut node.used);
        }
        outcome
    }

    /// What identifies a state: everything on which what follows depends.
    #[inline]
    pub(super) fn fingerprint(&self, node: &Node<M>, words: &mut Words) -> Fingerprint {
        words.clear();
        self.model.encode(&node.state, words);
        node.checker.encode(words);
        for used in node.used.chunks(8) {
            words.word(used.iter().fold(0, |word, &used| word << 8 | u64::from(used)));
        }
        if self.is_wide {
            Fingerprint::wide(words.wide_hash())
        } else {
            Fingerprint::narrow(words.hash())
        }
    }
}
