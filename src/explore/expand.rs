//! Expanding a few states of a level: all their successors, and what is violated on the way.

use crate::explore::levels::{Choice, Level, Walk};
use crate::explore::node::{Node, Space};
use crate::explore::table::{Fingerprint, Table};
use crate::model::{Model, Words};
use crate::run::Phase;
use highwater_invariants::{Checker, INVARIANT_COUNT, Selection, Violation};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most operations of a state that have a number each, and that may all lead to new states.
const CHOICES_MAX: usize = Choice::MAX as usize;

/// A successor that was not visited before this chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The number of the parent in its level.
    pub(super) parent: u32,
    /// By which operation.
    pub(super) choice: Choice,
    pub(super) fingerprint: Fingerprint,
}

/// A violation, and where.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    /// The number of the state in its level.
    pub(super) state: usize,
    /// The operation that violates; `None` if the state itself does, in a later phase.
    pub(super) choice: Option<Choice>,
    pub(super) phase: Phase,
    pub(super) violation: Violation,
}

impl Hit {
    /// All of these violations, at the same place.
    fn all(
        violations: &[Violation],
        state: usize,
        choice: Option<Choice>,
        phase: Phase,
    ) -> impl Iterator<Item = Self> {
        let violations = violations.iter().cloned();
        violations.map(move |violation| Self { state, choice, phase, violation })
    }
}

/// What came of expanding states.
#[derive(Clone, Debug)]
pub(super) struct Expanded {
    /// New states by owner, each owner's in order.
    pub(super) candidates: Vec<Vec<Candidate>>,
    /// The first violation of each invariant by a state in a later phase, and by an operation.
    pub(super) of_states: Vec<Hit>,
    pub(super) of_operations: Vec<Hit>,
    pub(super) counts: Counts,
}

/// What was done. Every number adds up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Operations applied, refused ones included: states generated.
    pub generated: u64,
    /// States that a limit of the model ended.
    pub halted: u64,
    /// How often the premise of each invariant came up.
    pub tested: [u64; INVARIANT_COUNT],
    /// Invariants that the checker gave up on in some state.
    #[serde(with = "selection_by_name")]
    pub undecided: Selection,
    /// Branches of the protocol that were reached, as a bit mask.
    pub branches: u64,
    /// Operations by kind and outcome: `outcomes[kind * M::OUTCOMES.len() + outcome]`.
    pub outcomes: Vec<u64>,
}

impl Counts {
    pub(super) fn new<M: Model>() -> Self {
        Self {
            generated: 0,
            halted: 0,
            tested: [0; INVARIANT_COUNT],
            undecided: Selection::NONE,
            branches: 0,
            outcomes: vec![0; M::KINDS.len() * M::OUTCOMES.len()],
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.generated += other.generated;
        self.halted += other.halted;
        self.branches |= other.branches;
        self.undecided = self.undecided.or(other.undecided);
        let sums = self.tested.iter_mut().chain(&mut self.outcomes);
        for (sum, count) in sums.zip(other.tested.iter().chain(&other.outcomes)) {
            *sum += count;
        }
    }

    /// Counts what the checker has done since `before`.
    fn count_checks(&mut self, before: &Checker, after: &Checker) {
        let counts = after.tested().iter().zip(before.tested());
        for (sum, (after, before)) in self.tested.iter_mut().zip(counts) {
            *sum += after - before;
        }
        self.undecided = self.undecided.or(after.undecided());
    }
}

/// A selection as a list of names.
mod selection_by_name {
    use highwater_invariants::{InvariantId, Selection};
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    pub(super) fn serialize<S: Serializer>(
        selection: &Selection,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(selection.iter().map(InvariantId::name))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Selection, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names.iter().try_fold(Selection::NONE, |selection, name| {
            let invariant = InvariantId::from_name(name);
            let unknown = || de::Error::custom(format!("unknown invariant {name:?}"));
            invariant.map(|invariant| selection.with(invariant)).ok_or_else(unknown)
        })
    }
}

/// How states are expanded.
pub(super) struct Expander<'e, 'm, M: Model> {
    pub(super) space: &'e Space<'m, M>,
    pub(super) root: &'e Node<M>,
    pub(super) levels: &'e [Level],
    pub(super) table: &'e Table,
    /// How many owners the table has.
    pub(super) owners: usize,
    /// Whether each state is also run to the end: quiescence, then recovery.
    pub(super) second_phase: bool,
    /// Whether successors are looked for at all.
    pub(super) go_deeper: bool,
    /// Whether the successor by a violation is visited too.
    pub(super) go_on: bool,
}

impl<M: Model> Expander<'_, '_, M> {
    /// Expands the states of `range` in the last level.
    pub(super) fn run(&self, range: Range<usize>) -> Expanded {
        let mut expanded = Expanded {
            candidates: vec![Vec::new(); self.owners],
            of_states: Vec::new(),
            of_operations: Vec::new(),
            counts: Counts::new::<M>(),
        };
        let mut words = Words::default();
        let mut walk = Walk::from(self.levels, range.start);
        // The states on the way, the initial one first; and the one that is being made.
        let mut way = vec![self.root.clone(); self.levels.len() + 1];
        // What each of them is offered; siblings ask for the same.
        let mut offered = vec![Vec::new(); self.levels.len()];
        self.space.offered(self.root, &mut offered[0]);
        let mut changed = 1;
        for index in range.clone() {
            if index > range.start {
                changed = walk.advance().max(1);
            }
            for (level, choice) in (changed..).zip(walk.choices_from(changed)) {
                let (before, after) = way.split_at_mut(level);
                let (parent, next) = (&before[level - 1], &mut after[0]);
                next.clone_from(parent);
                self.space.apply(next, offered[level - 1][usize::from(choice)]);
                // The last one's are asked for below, if at all.
                if level + 1 < self.levels.len() {
                    self.space.offered(next, &mut offered[level]);
                }
            }
            let (way, scratch) = way.split_at_mut(self.levels.len());
            let (node, next) = (&way[way.len() - 1], &mut scratch[0]);
            if self.second_phase {
                self.finish(node, next, index, &mut expanded);
            }
            if self.go_deeper {
                let offered = &mut offered[self.levels.len() - 1];
                self.space.offered(node, offered);
                self.expand(node, next, index, offered, &mut words, &mut expanded);
            }
        }
        expanded
    }

    fn expand(
        &self,
        node: &Node<M>,
        next: &mut Node<M>,
        index: usize,
        offered: &[M::Operation],
        words: &mut Words,
        expanded: &mut Expanded,
    ) {
        // What has no number is not tried, and so the verdict cannot be clean.
        expanded.counts.halted += u64::from(offered.len() > CHOICES_MAX);
        for (&operation, choice) in offered.iter().take(CHOICES_MAX).zip(0..) {
            if !self.space.allows(node, operation) {
                continue;
            }
            next.clone_from(node);
            let outcome = self.space.apply(next, operation);
            let counts = &mut expanded.counts;
            counts.generated += 1;
            counts.outcomes[M::kind(operation) * M::OUTCOMES.len() + M::outcome(outcome)] += 1;
            counts.branches |= M::branches(&next.state);
            counts.count_checks(&node.checker, &next.checker);
            let new = &next.checker.violations()[node.checker.violations().len()..];
            let hits = Hit::all(new, index, Some(choice), Phase::Operations);
            note(&mut expanded.of_operations, hits);
            let is_halted = self.space.model.is_halted(&next.state);
            expanded.counts.halted += u64::from(is_halted);
            // What a limit has ended goes nowhere.
            if is_halted || (!new.is_empty() && !self.go_on) {
                continue;
            }
            let fingerprint = self.space.fingerprint(next, words);
            if !self.table.contains(fingerprint) {
                let candidate = Candidate { parent: index as u32, choice, fingerprint };
                expanded.candidates[fingerprint.part(self.owners)].push(candidate);
            }
        }
    }

    /// Runs a state to the end, as a run does after its last operation.
    fn finish(&self, node: &Node<M>, next: &mut Node<M>, index: usize, expanded: &mut Expanded) {
        next.clone_from(node);
        let (model, Node { state, checker, .. }) = (self.space.model, next);
        let mut known = checker.violations().len();
        let mut note_all = |checker: &Checker, phase| {
            let new = &checker.violations()[known..];
            note(&mut expanded.of_states, Hit::all(new, index, None, phase));
            known = checker.violations().len();
        };
        model.settle(state, checker);
        note_all(checker, Phase::Quiescence);
        if !model.is_halted(state) {
            model.recover(state, checker);
            note_all(checker, Phase::Recovery);
        }
        // What a limit has cut off was not checked to its end.
        expanded.counts.halted += u64::from(model.is_halted(state));
        expanded.counts.count_checks(&node.checker, checker);
    }
}

/// Keeps the first violation of each invariant.
pub(super) fn note(hits: &mut Vec<Hit>, new: impl IntoIterator<Item = Hit>) {
    for hit in new {
        let is_known = |known: &Hit| known.violation.invariant == hit.violation.invariant;
        if !hits.iter().any(is_known) {
            hits.push(hit);
        }
    }
}

/// The violation that comes first.
pub(super) fn first(hits: &[Hit]) -> Option<&Hit> {
    hits.iter().min_by_key(|hit| (hit.state, hit.choice, hit.phase, hit.violation.invariant as u32))
}
