//! What an invariant found wrong: a kind, a sentence and the facts that fill it.

use crate::vocabulary::{Entry, KeyId, LeaderEpoch, NodeId, NodeSet, Offset, ValueId};
use arrayvec::ArrayVec;
use std::fmt::Write;

/// The facts of a violation, without allocation: labels and small values.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    kind: &'static str,
    sentence: &'static str,
    facts: ArrayVec<(&'static str, Fact), 8>,
}

/// One labelled fact.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fact {
    /// A node.
    Node(NodeId),
    /// Several nodes.
    Nodes(NodeSet),
    /// A position.
    Offset(Offset),
    /// An epoch.
    LeaderEpoch(LeaderEpoch),
    /// An entry, or none where one should be.
    Entry(Option<Entry>),
    /// A key.
    Key(KeyId),
    /// A value, or absence.
    Value(Option<ValueId>),
    /// A plain number.
    Count(u64),
}

/// Turns ids back into the names that the user gave.
pub trait Names {
    /// The name of `node`.
    fn node(&self, node: NodeId) -> String;
    /// The text of `key`.
    fn key(&self, key: KeyId) -> String;
    /// The text of `value`.
    fn value(&self, value: ValueId) -> String;
}

impl Evidence {
    /// Evidence of one `kind` (a short stable name, part of a finding's signature). `{label}` in
    /// `sentence` stands for the fact with that label.
    #[cold]
    pub fn new(kind: &'static str, sentence: &'static str) -> Self {
        Self { kind, sentence, facts: ArrayVec::new() }
    }

    /// Adds a fact.
    ///
    /// # Panics
    /// If there are more than eight; an invariant states fewer.
    #[must_use]
    pub fn with(mut self, label: &'static str, fact: Fact) -> Self {
        self.facts.push((label, fact));
        self
    }

    /// The kind of violation within its invariant.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The labelled facts.
    pub fn facts(&self) -> &[(&'static str, Fact)] {
        &self.facts
    }

    /// The labels in the sentence that no fact has: there must be none.
    #[cfg(test)]
    pub(crate) fn labels_without_fact(&self) -> Vec<&'static str> {
        let labels = self.sentence.split('{').skip(1).map(|rest| rest.split('}').next().unwrap());
        labels.filter(|label| self.facts.iter().all(|(name, _)| name != label)).collect()
    }

    /// The evidence in words.
    pub fn in_words(&self, names: &impl Names) -> String {
        let mut words = String::new();
        let mut rest = self.sentence;
        while let Some((before, after)) = rest.split_once('{') {
            words.push_str(before);
            let (label, after) = after.split_once('}').unwrap_or((after, ""));
            match self.facts.iter().find(|(name, _)| *name == label) {
                Some((_, fact)) => fact.write(&mut words, names),
                None => words.push_str(label),
            }
            rest = after;
        }
        words.push_str(rest);
        words
    }
}

impl Fact {
    /// The fact in words.
    pub fn in_words(&self, names: &impl Names) -> String {
        let mut words = String::new();
        self.write(&mut words, names);
        words
    }

    fn write(&self, out: &mut String, names: &impl Names) {
        // Writing to a String cannot fail.
        let _ = match *self {
            Self::Node(node) => write!(out, "{}", names.node(node)),
            Self::Nodes(nodes) => {
                let mut list: Vec<_> = nodes.iter().map(|node| names.node(node)).collect();
                list.sort();
                write!(out, "{{{}}}", list.join(", "))
            }
            Self::Offset(offset) => write!(out, "{offset}"),
            Self::LeaderEpoch(epoch) => write!(out, "{epoch}"),
            Self::Entry(Some(entry)) => write!(
                out,
                "{}={} of epoch {}",
                names.key(entry.key()),
                names.value(entry.value()),
                entry.leader_epoch()
            ),
            Self::Key(key) => write!(out, "{}", names.key(key)),
            Self::Entry(None) | Self::Value(None) => write!(out, "nothing"),
            Self::Value(Some(value)) => write!(out, "{}", names.value(value)),
            Self::Count(count) => write!(out, "{count}"),
        };
    }
}
