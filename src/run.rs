//! One scenario through one model under a set of invariants: the one place where they meet.
//!
//! Safety first, then liveness: all operations are applied with the invariants checked after each
//! and after every tick, inside waits too; then the partition is left to itself (does it come to
//! rest?), and then faults stop (does service come back?).

use crate::model::Model;
use arrayvec::ArrayVec;
use highwater_invariants::{
    Checker, Event, INVARIANT_COUNT, InvariantId, Observer, Selection, Violation,
};

/// Which part of a run something happened in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// While the scenario's operations were applied.
    Operations,
    /// After the last operation, while the partition was left to itself.
    Quiescence,
    /// After that, when faults had stopped.
    Recovery,
}

/// A violation and where it showed.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// What is violated, and what shows it.
    pub violation: Violation,
    /// How many operations had been begun: the number of the violating operation, from 1, or in a
    /// later phase the number of all operations.
    pub operation: usize,
    /// In which phase.
    pub phase: Phase,
}

impl Failure {
    /// Which invariant is violated.
    pub fn invariant(&self) -> InvariantId {
        self.violation.invariant
    }
}

/// What a run gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// The first violation of each violated invariant, in the order in which they showed.
    pub failures: ArrayVec<Failure, INVARIANT_COUNT>,
    /// How many operations were applied. Fewer than the scenario has if a limit ended the run.
    pub operations: usize,
    /// How often the premise of each invariant came up.
    pub tested: [u64; INVARIANT_COUNT],
    /// Which invariants were checked.
    pub checked: Selection,
    /// Those of them that the checker gave up on; neither passed nor violated.
    pub undecided: Selection,
    /// Whether a limit of the model ended the run early (a message storm, say).
    pub halted: bool,
}

impl Verdict {
    /// Whether something was checked, to the end, and all of it holds.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty()
            && !self.halted
            && !self.checked.is_empty()
            && self.undecided.is_empty()
    }

    /// The violation of `invariant`, if it is violated.
    pub fn failure_of(&self, invariant: InvariantId) -> Option<&Failure> {
        self.failures.iter().find(|failure| failure.invariant() == invariant)
    }
}

/// A run in progress: a state and its checker. [`run`] is the loop over it.
#[derive(Clone, Debug)]
pub struct Run<'m, M: Model> {
    model: &'m M,
    state: M::State,
    checker: Checker,
    checked: Selection,
    failures: ArrayVec<Failure, INVARIANT_COUNT>,
    operations: usize,
}

impl<'m, M: Model> Run<'m, M> {
    /// A run that has not done anything yet.
    pub fn new(model: &'m M, settings: &M::Settings, selection: Selection) -> Self {
        let state = model.initial(settings);
        let checker = Checker::new(selection, &state);
        Self { model, state, checker, checked: selection, failures: ArrayVec::new(), operations: 0 }
    }

    /// The present state.
    pub fn state(&self) -> &M::State {
        &self.state
    }

    /// The invariants, and what has been promised so far.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// The violations so far.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Whether a limit of the model has ended the run.
    pub fn is_halted(&self) -> bool {
        self.model.is_halted(&self.state)
    }

    /// A fingerprint of the state and of what has been promised so far.
    pub fn fingerprint(&self) -> u64 {
        self.model.fingerprint(&self.state, &self.checker)
    }

    /// Applies one operation and checks everything.
    #[inline]
    pub fn apply(&mut self, operation: M::Operation) -> M::Outcome {
        self.operations += 1;
        let outcome = self.model.apply(&mut self.state, operation, &mut self.checker);
        self.checker.observe(Event::OperationEnded, &self.state);
        self.note_failures(Phase::Operations);
        outcome
    }

    /// The second phase: quiescence, then recovery.
    pub fn finish(&mut self) {
        self.settle();
        self.recover();
    }

    /// Leaves the partition to itself until it is idle; nothing once the run has ended.
    pub fn settle(&mut self) {
        if self.is_halted() {
            return;
        }
        self.model.settle(&mut self.state, &mut self.checker);
        self.note_failures(Phase::Quiescence);
    }

    /// Stops all faults, and waits for service to come back; nothing once the run has ended. Comes
    /// after [`Run::settle`].
    pub fn recover(&mut self) {
        if self.is_halted() {
            return;
        }
        self.model.recover(&mut self.state, &mut self.checker);
        self.note_failures(Phase::Recovery);
    }

    /// The end of the run.
    pub fn verdict(self) -> Verdict {
        Verdict {
            operations: self.operations,
            tested: *self.checker.tested(),
            checked: self.checked,
            undecided: self.checker.undecided(),
            halted: self.is_halted(),
            failures: self.failures,
        }
    }

    #[inline]
    fn note_failures(&mut self, phase: Phase) {
        for violation in &self.checker.violations()[self.failures.len()..] {
            let violation = violation.clone();
            self.failures.push(Failure { violation, operation: self.operations, phase });
        }
    }
}

/// Runs `operations` from the initial state of `settings`, both phases.
pub fn run<M: Model>(
    model: &M,
    settings: &M::Settings,
    operations: &[M::Operation],
    selection: Selection,
) -> Verdict {
    let mut run = Run::new(model, settings, selection);
    for &operation in operations {
        run.apply(operation);
        if run.is_halted() {
            break;
        }
    }
    run.finish();
    run.verdict()
}
