//! Violations, grouped as they come: by invariant, kind of evidence and phase.
//!
//! A search may hit the same violation a million times. Only counts and the few shortest sequences
//! of each group are kept, in an order that does not depend on which thread found them.

use crate::run::Failure;
use crate::search::shrink::Target;
use std::collections::BTreeMap;

/// Sequences of a group that are kept, and shrunk.
pub const CANDIDATES_MAX: usize = 4;

/// A sequence that violates something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Candidate {
    /// The number of the violating operation, from 1.
    pub operation: usize,
    /// The number of the sequence, from 0.
    pub sequence: u64,
}

/// All violations of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// How many sequences showed it.
    pub count: u64,
    /// The first of them.
    pub first_sequence: u64,
    /// The ones that showed it soonest, the soonest first.
    pub candidates: Vec<Candidate>,
}

/// All violations of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Groups(BTreeMap<Target, Group>);

impl Groups {
    /// Counts the violations of one sequence.
    pub fn count(&mut self, sequence: u64, failures: &[Failure]) {
        for failure in failures {
            let group = self.group(Target::of(failure));
            group.count += 1;
            group.first_sequence = group.first_sequence.min(sequence);
            group.offer(Candidate { operation: failure.operation, sequence });
        }
    }

    /// Adds other violations.
    pub fn add(&mut self, other: &Self) {
        for (&target, group) in &other.0 {
            self.group(target).add(group);
        }
    }

    fn group(&mut self, target: Target) -> &mut Group {
        let empty = || Group { first_sequence: u64::MAX, ..Group::default() };
        self.0.entry(target).or_insert_with(empty)
    }

    /// How many kinds of violations there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was violated.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The groups, in the order of invariants.
    pub fn iter(&self) -> impl Iterator<Item = (Target, &Group)> {
        self.0.iter().map(|(&target, group)| (target, group))
    }

    /// The violation that showed soonest, as a group of its own.
    #[must_use]
    pub fn soonest(&self) -> Self {
        let soonest = self.iter().min_by_key(|&(target, group)| (group.candidates.first(), target));
        let only = soonest.map(|(target, group)| {
            let candidates = group.candidates[..1].to_vec();
            (target, Group { candidates, ..group.clone() })
        });
        Self(only.into_iter().collect())
    }
}

impl Group {
    /// Adds violations of the same kind.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.first_sequence = self.first_sequence.min(other.first_sequence);
        for &candidate in &other.candidates {
            self.offer(candidate);
        }
    }

    /// Keeps a candidate if it is one of the soonest.
    fn offer(&mut self, candidate: Candidate) {
        let place = self.candidates.partition_point(|&other| other < candidate);
        if place < CANDIDATES_MAX {
            self.candidates.truncate(CANDIDATES_MAX - 1);
            self.candidates.insert(place, candidate);
        }
    }
}
