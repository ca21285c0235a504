//! A violation as a picture shows it, and verdicts in a word.

use crate::picture::ViolationPicture;
use crate::run::{Failure, Verdict};
use crate::scenario::phase_name;
use highwater_invariants::{Fact, Names, NodeSet};

impl ViolationPicture {
    /// What a failure shows, at the step with index `step`.
    pub(super) fn of(failure: &Failure, names: &impl Names, step: usize) -> Self {
        let evidence = &failure.violation.evidence;
        let mut nodes = NodeSet::default();
        let mut offset = None;
        for (_, fact) in evidence.facts() {
            match *fact {
                Fact::Node(node) => nodes = nodes.iter().chain([node]).collect(),
                Fact::Nodes(more) => nodes = nodes.iter().chain(more.iter()).collect(),
                Fact::Offset(at) => offset = offset.or(Some(at.0.into())),
                _ => {}
            }
        }
        Self {
            invariant: failure.invariant().name().into(),
            statement: failure.invariant().statement().into(),
            kind: evidence.kind().into(),
            evidence: evidence.in_words(names),
            nodes: nodes.iter().map(|node| names.node(node)).collect(),
            offset,
            operation: failure.operation,
            phase: phase_name(failure.phase).into(),
            step,
        }
    }
}

/// `violated`, `clean` or `undecided`.
pub(crate) fn verdict_in_a_word(verdict: &Verdict) -> &'static str {
    match verdict.failures.is_empty() {
        false => "violated",
        true if verdict.is_clean() => "clean",
        true => "undecided",
    }
}
