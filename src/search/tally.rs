//! What a search has done: counts that add up, whatever machine counted them.

use crate::model::Model;
use crate::run::Verdict;
use highwater_invariants::INVARIANT_COUNT;

/// Counts over many sequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Sequences run.
    pub sequences: u64,
    /// Operations applied, refused ones included.
    pub operations: u64,
    /// Sequences that a limit of the model ended early (a message storm, say).
    pub halted: u64,
    /// How often the premise of each invariant came up.
    pub tested: [u64; INVARIANT_COUNT],
    /// Sequences that violate each invariant.
    pub violated: [u64; INVARIANT_COUNT],
    /// Sequences in which the checker gave up on each invariant.
    pub undecided: [u64; INVARIANT_COUNT],
    /// Sequences that reached each branch of the protocol.
    pub branches: [u64; 64],
    /// Operations by kind and outcome: `outcomes[kind * M::OUTCOMES.len() + outcome]`.
    pub outcomes: Vec<u64>,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new<M: Model>() -> Self {
        Self {
            sequences: 0,
            operations: 0,
            halted: 0,
            tested: [0; INVARIANT_COUNT],
            violated: [0; INVARIANT_COUNT],
            undecided: [0; INVARIANT_COUNT],
            branches: [0; 64],
            outcomes: vec![0; M::KINDS.len() * M::OUTCOMES.len()],
        }
    }

    /// Counts one operation.
    #[inline]
    pub fn count_outcome<M: Model>(&mut self, operation: M::Operation, outcome: M::Outcome) {
        self.outcomes[M::kind(operation) * M::OUTCOMES.len() + M::outcome(outcome)] += 1;
    }

    /// Counts one sequence.
    pub fn count_sequence(&mut self, verdict: &Verdict, mut branches: u64) {
        self.sequences += 1;
        self.operations += verdict.operations as u64;
        self.halted += u64::from(verdict.halted);
        for (sum, tested) in self.tested.iter_mut().zip(verdict.tested) {
            *sum += tested;
        }
        for failure in &verdict.failures {
            self.violated[failure.invariant() as usize] += 1;
        }
        if !verdict.undecided.is_empty() {
            for invariant in verdict.undecided.iter() {
                self.undecided[invariant as usize] += 1;
            }
        }
        while branches != 0 {
            self.branches[branches.trailing_zeros() as usize] += 1;
            branches &= branches - 1;
        }
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.sequences += other.sequences;
        self.operations += other.operations;
        self.halted += other.halted;
        let pairs = [
            (self.tested.as_mut_slice(), other.tested.as_slice()),
            (&mut self.violated, &other.violated),
            (&mut self.undecided, &other.undecided),
            (&mut self.branches, &other.branches),
            (&mut self.outcomes, &other.outcomes),
        ];
        for (sums, counts) in pairs {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
}
