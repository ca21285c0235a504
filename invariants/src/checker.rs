//! Checks all invariants as a model runs.

use crate::canonical::{Canonical, Sink};
use crate::ledger::Ledger;
use crate::properties::{Ghosts, INVARIANT_COUNT, InvariantId};
use crate::vocabulary::{Event, Evidence, Observer, Renaming, View};
use arrayvec::ArrayVec;

/// Which invariants are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection(u32);

impl Selection {
    /// All general ones.
    pub const ALL: Self = Self::of(&InvariantId::ALL);
    /// Those of published specifications.
    pub const SPECIFIED: Self = Self::of(&InvariantId::SPECIFIED);
    /// None: runs without checking.
    pub const NONE: Self = Self(0);

    /// These.
    pub const fn of(invariants: &[InvariantId]) -> Self {
        let (mut selection, mut index) = (Self::NONE, 0);
        while index < invariants.len() {
            selection = selection.with(invariants[index]);
            index += 1;
        }
        selection
    }

    /// Invariants that are in this selection and in `other`.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Only `invariant`.
    pub const fn only(invariant: InvariantId) -> Self {
        Self(1 << invariant as u32)
    }

    /// This selection and `invariant`.
    #[must_use]
    pub const fn with(self, invariant: InvariantId) -> Self {
        Self(self.0 | 1 << invariant as u32)
    }

    /// This selection without `invariant`.
    #[must_use]
    pub const fn without(self, invariant: InvariantId) -> Self {
        Self(self.0 & !(1 << invariant as u32))
    }

    /// Invariants that are in this selection or in `other`.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `invariant` is selected.
    #[inline]
    pub const fn contains(self, invariant: InvariantId) -> bool {
        self.0 & (1 << invariant as u32) != 0
    }

    /// The selected invariants, general ones first.
    pub fn iter(self) -> impl Iterator<Item = InvariantId> {
        let known = InvariantId::ALL.into_iter().chain(InvariantId::SPECIFIED);
        known.filter(move |&invariant| self.contains(invariant))
    }

    /// Whether nothing is selected.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// An invariant that does not hold, and what shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Which invariant.
    pub invariant: InvariantId,
    /// What shows it.
    pub evidence: Evidence,
}

/// An observer that checks invariants, remembers the first violation of each, and counts how often
/// the premise of each came up.
///
/// A violated invariant is not checked again; the others go on, so that a common violation does
/// not hide a rare one.
#[derive(Debug)]
pub struct Checker {
    ledger: Ledger,
    ghosts: Ghosts,
    active: Selection,
    tested: [u64; INVARIANT_COUNT],
    undecided: Selection,
    violations: ArrayVec<Violation, INVARIANT_COUNT>,
    /// Whether some selected invariant needs to know what was promised.
    keeps_ledger: bool,
}

impl Clone for Checker {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            ledger: self.ledger.clone(),
            ghosts: self.ghosts.clone(),
            active: self.active,
            tested: self.tested,
            undecided: self.undecided,
            violations: self.violations.clone(),
            keeps_ledger: self.keeps_ledger,
        }
    }

    /// What no selected invariant asks for is not copied.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        if other.keeps_ledger {
            self.ledger.clone_from(&other.ledger);
            self.ghosts.clone_from(&other.ghosts);
        }
        self.active = other.active;
        self.tested = other.tested;
        self.undecided = other.undecided;
        self.violations.clone_from(&other.violations);
        self.keeps_ledger = other.keeps_ledger;
    }
}

impl Checker {
    /// A checker of `selection` for a partition that is now as `view` shows it.
    pub fn new<V: View>(selection: Selection, view: &V) -> Self {
        Self {
            ledger: Ledger::new(view),
            ghosts: Ghosts::default(),
            active: selection,
            tested: [0; INVARIANT_COUNT],
            undecided: Selection::NONE,
            violations: ArrayVec::new(),
            keeps_ledger: !selection.and(Selection::ALL).is_empty(),
        }
    }

    /// The first violation of each violated invariant, in the order in which they were found.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// How often the premise of each invariant came up, by [`InvariantId`].
    pub fn tested(&self) -> &[u64; INVARIANT_COUNT] {
        &self.tested
    }

    /// Invariants that gave up deciding because a limit of the checker was reached. Neither passed
    /// nor violated.
    pub fn undecided(&self) -> Selection {
        self.undecided
    }

    /// What the partition has promised so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    #[cold]
    fn settle(&mut self, findings: ArrayVec<(InvariantId, Finding), INVARIANT_COUNT>) {
        for (invariant, finding) in findings {
            self.active = self.active.without(invariant);
            match finding {
                Finding::Violated(evidence) => {
                    self.violations.push(Violation { invariant, evidence });
                }
                Finding::Undecided => self.undecided = self.undecided.with(invariant),
            }
        }
    }
}

/// Why an invariant's check did not pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// It does not hold.
    Violated(Evidence),
    /// A limit of the checker was reached; whether it holds is not known.
    Undecided,
}

impl From<Evidence> for Finding {
    fn from(evidence: Evidence) -> Self {
        Self::Violated(evidence)
    }
}

impl Observer for Checker {
    #[inline]
    fn observe<V: View>(&mut self, event: Event, view: &V) {
        // Without invariants there is nothing to remember; many events of a run are packets that
        // the leader rightly sends.
        if self.active.is_empty() || event.is_arrival_from_the_leader(view) {
            return;
        }
        if !self.active.and(Selection::SPECIFIED).is_empty() && event.is_state_check() {
            let (active, mut findings) = (self.active, ArrayVec::new());
            let (ledger, tested) = (&self.ledger, &mut self.tested);
            Ghosts::check_specified(ledger, event, view, active, tested, &mut findings);
            if !findings.is_empty() {
                self.settle(findings);
            }
        }
        if !self.keeps_ledger {
            return;
        }
        let says_nothing_else = matches!(event, Event::Ticked | Event::OperationEnded);
        if says_nothing_else && !self.ledger.may_have_changed(view) {
            return;
        }
        self.ledger.take_note(event, view);
        let active = self.active;
        let mut findings = ArrayVec::<_, INVARIANT_COUNT>::new();
        self.ghosts.check_all(&self.ledger, event, view, active, &mut self.tested, &mut findings);
        if !findings.is_empty() {
            self.settle(findings);
        }
        if event.is_state_check() {
            self.ledger.turn_page();
        }
    }
}

impl Checker {
    /// The encoding that the checker would have if nodes had other names. What invariants themselves
    /// remember from one state to the next names no node.
    pub fn encode_renamed(&self, renaming: &Renaming, sink: &mut impl Sink) {
        if self.keeps_ledger {
            self.ledger.encode_renamed(renaming, sink);
            self.ghosts.encode(sink);
        }
    }
}

impl Canonical for Checker {
    /// The ledger and every invariant's own ghost state; counts and violations are no part of it.
    fn encode(&self, sink: &mut impl Sink) {
        if self.keeps_ledger {
            self.ledger.encode(sink);
            self.ghosts.encode(sink);
        }
    }
}

#[cfg(test)]
mod tests;
