//! Level-synchronous breadth-first search.
//!
//! A level is expanded in chunks. All threads expand states of a chunk and look up successors in the
//! table, which does not change meanwhile; what is not there is then inserted, each part of the table
//! by its owner, in the order of parents and operations. So of all ways to a state the same one is
//! kept on any number of threads, and a counterexample is not only a shortest one but always the
//! same.

use crate::explore::bounds::Bounds;
use crate::explore::checkpoint::{Checkpoint, CheckpointError, Identity, LevelWriter, StoredLevel};
use crate::explore::collisions::Collisions;
use crate::explore::counterexample::Counterexample;
use crate::explore::expand::{Candidate, Counts, Expanded, Expander, Hit, first, note};
use crate::explore::levels::{Choice, Level, Walk};
use crate::explore::node::{Node, Space};
use crate::explore::table::{Fingerprint, Inserted, Table};
use crate::model::{Model, Words};
use highwater_invariants::{InvariantId, Selection};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::AtomicU64;

/// States that are expanded before the table is changed.
const CHUNK: usize = 8192;
/// States that one thread expands at a time.
const PIECE: usize = 64;
/// Parts of the table that are filled side by side.
const OWNERS: usize = 16;
/// How full the table may get, in percent. Fuller, looking up takes long.
const LOAD_MAX: usize = 88;
/// Homes of the first table.
const HOMES_MIN: usize = 1 << 12;

/// An exploration to be run.
#[derive(Debug)]
pub struct Exploration<'m, M: Model> {
    /// The model that is explored.
    pub model: &'m M,
    /// Its configuration.
    pub settings: M::Settings,
    /// Which operations are offered, and how often.
    pub bounds: Bounds,
    /// Which invariants are checked.
    pub selection: Selection,
    /// Whether each state is also run to the end: left to itself, and then with faults stopped.
    pub second_phase: bool,
    /// Whether it goes on after a violation, and reports the first of each invariant.
    pub keep_going: bool,
    /// Whether fingerprints have 128 bits rather than 64.
    pub is_wide: bool,
    /// What ends it.
    pub limits: Limits,
}

/// What ends an exploration before the space is exhausted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most states visited. It is looked at after every chunk of states.
    pub states_max: u64,
    /// The most operations of a way.
    pub depth_max: usize,
    /// The most memory for visited states, in bytes.
    pub memory_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states_max: u64::MAX, depth_max: usize::MAX, memory_max: usize::MAX }
    }
}

/// Why an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every state within the bounds was visited.
    Exhausted,
    /// At a violation.
    AtViolation,
    /// [`Limits::states_max`].
    States,
    /// [`Limits::depth_max`].
    Depth,
    /// [`Limits::memory_max`].
    Memory,
    /// It was interrupted: by a deadline, or by the user.
    Interrupted,
}

/// What an exploration has found out so far, and in the end.
#[derive(Clone, Debug)]
pub struct Explored<M: Model> {
    /// Why it ended.
    pub ended: Ended,
    /// A shortest violation of each violated invariant, the shortest first; one, unless it kept
    /// going.
    pub counterexamples: Vec<Counterexample<M>>,
    /// States of each level: level 0 is the initial state.
    pub levels: Vec<u64>,
    /// States of the last level that were not expanded.
    pub unexpanded: u64,
    /// What was done.
    pub counts: Counts,
    /// How probable it is that two states had the same fingerprint.
    pub collisions: Collisions,
    /// Bytes for visited states: the table and the tree.
    pub bytes: usize,
    /// How full the table is, from 0 to 1.
    pub load: f64,
}

impl<M: Model> Explored<M> {
    /// States visited.
    pub fn distinct(&self) -> u64 {
        self.levels.iter().sum()
    }

    /// States generated: the initial one, and one for each operation applied.
    pub fn generated(&self) -> u64 {
        1 + self.counts.generated
    }

    /// Whether every state within the bounds was visited, everything that was asked for was decided,
    /// and nothing is violated.
    pub fn is_clean(&self) -> bool {
        self.ended == Ended::Exhausted
            && self.counterexamples.is_empty()
            && self.counts.halted == 0
            && self.counts.undecided.is_empty()
    }
}

/// How far it has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The level that is being expanded: the number of operations to its states.
    pub level: usize,
    /// States of that level.
    pub frontier: usize,
    /// Of them, expanded.
    pub expanded: usize,
    /// States visited.
    pub distinct: u64,
    /// States generated.
    pub generated: u64,
    /// How full the table is, from 0 to 1.
    pub load: f64,
    /// Bytes for visited states.
    pub bytes: usize,
}

impl<M> Exploration<'_, M>
where
    M: Model + Sync,
    M::Settings: Sync,
    M::State: Send + Sync,
    M::Operation: Send + Sync,
{
    /// Explores on the current rayon pool. `go_on` is asked and `on_progress` told after every chunk
    /// of states.
    pub fn run(&self, go_on: impl Fn() -> bool, on_progress: impl FnMut(Progress)) -> Explored<M> {
        self.run_with(None, go_on, on_progress).unwrap_or_else(|error| {
            unreachable!("without a checkpoint nothing is read or written: {error}")
        })
    }

    /// The same, with every level written to a checkpoint, and begun with the levels that it holds.
    ///
    /// # Errors
    /// The checkpoint cannot be written, is damaged, or is one of another exploration.
    pub fn run_with(
        &self,
        checkpoint: Option<&Checkpoint>,
        go_on: impl Fn() -> bool,
        mut on_progress: impl FnMut(Progress),
    ) -> Result<Explored<M>, CheckpointError> {
        let mut search = Search::new(self, checkpoint)?;
        loop {
            if let Some(ended) = search.expand_level(&go_on, &mut on_progress)? {
                return Ok(search.conclude(ended));
            }
        }
    }
}

/// Bytes that a table of so many homes takes.
const fn table_bytes(homes: usize, is_wide: bool) -> usize {
    Table::<AtomicU64>::bytes(homes, is_wide)
}

impl<M: Model> Exploration<'_, M> {
    /// What is explored, for checkpoints.
    fn identity(&self, initial: Fingerprint) -> Identity {
        let selected = InvariantId::ALL.into_iter().filter(|&id| self.selection.contains(id));
        Identity {
            format: "highwater-checkpoint/1".into(),
            highwater: env!("CARGO_PKG_VERSION").into(),
            model: M::NAME.into(),
            settings: format!("{:?}", self.settings),
            bounds: self.bounds.to_string(),
            invariants: selected.map(|id| id.name().to_owned()).collect(),
            second_phase: self.second_phase,
            keep_going: self.keep_going,
            fingerprint_bits: if self.is_wide { 128 } else { 64 },
            initial: format!("{:?}", initial.words()),
        }
    }
}

/// An exploration in progress.
struct Search<'e, M: Model> {
    exploration: &'e Exploration<'e, M>,
    space: Space<'e, M>,
    root: Node<M>,
    levels: Vec<Level>,
    table: Table,
    distinct: u64,
    counts: Counts,
    counterexamples: Vec<Counterexample<M>>,
    /// Where the counterexamples were found.
    found: Vec<Found>,
    expanded: usize,
    checkpoint: Option<&'e Checkpoint>,
}

/// Where a violation was found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Found {
    level: usize,
    state: usize,
    choice: Option<Choice>,
}

/// What a checkpoint keeps of an exploration beside its states.
#[derive(Serialize, Deserialize)]
struct Notes {
    counts: Counts,
    found: Vec<Found>,
}

impl<'e, M> Search<'e, M>
where
    M: Model + Sync,
    M::Settings: Sync,
    M::State: Send + Sync,
    M::Operation: Send + Sync,
{
    fn new(
        exploration: &'e Exploration<'e, M>,
        checkpoint: Option<&'e Checkpoint>,
    ) -> Result<Self, CheckpointError> {
        let Exploration { model, ref settings, ref bounds, selection, is_wide, .. } = *exploration;
        let space = Space { model, bounds, is_wide };
        let root = Node::initial(model, settings, selection);
        let initial = space.fingerprint(&root, &mut Words::default());
        let mut search = Self {
            exploration,
            space,
            root,
            levels: Vec::new(),
            table: Table::new(HOMES_MIN, is_wide),
            distinct: 0,
            counts: Counts::new::<M>(),
            counterexamples: Vec::new(),
            found: Vec::new(),
            expanded: 0,
            checkpoint,
        };
        let stored = match checkpoint {
            Some(checkpoint) => checkpoint.open(&exploration.identity(initial))?,
            None => Vec::new(),
        };
        if stored.is_empty() {
            search.table.insert(initial);
            search.distinct = 1;
            let mut level = Level::default();
            level.push(0);
            if let Some(checkpoint) = checkpoint {
                let mut writer = checkpoint.begin(0)?;
                writer.state(0, initial)?;
                writer.finish(None, &search.notes())?;
            }
            search.levels.push(level);
        } else {
            search.restore(stored)?;
        }
        Ok(search)
    }

    /// Takes over the levels of a checkpoint.
    fn restore(&mut self, stored: Vec<StoredLevel>) -> Result<(), CheckpointError> {
        let damaged = |reason: &str| CheckpointError::new("checkpoint", reason);
        for stored in stored {
            if let Some(before) = self.levels.last_mut() {
                let children: u64 = stored.children.iter().map(|&number| u64::from(number)).sum();
                if stored.children.len() != before.len() || children != stored.states.len() as u64 {
                    return Err(damaged("its levels do not fit together"));
                }
                for number in stored.children {
                    before.note_children(number);
                }
            }
            if !self.make_room(stored.states.len()) {
                return Err(damaged("it does not fit into --max-memory"));
            }
            let mut level = Level::default();
            for (choice, fingerprint) in stored.states {
                level.push(choice);
                if self.table.insert(fingerprint) != Inserted::New {
                    return Err(damaged("it holds a state twice"));
                }
            }
            self.distinct += level.len() as u64;
            self.levels.push(level);
            let notes: Notes = serde_json::from_str(&stored.notes)
                .map_err(|error| damaged(&format!("its notes cannot be read: {error}")))?;
            (self.counts, self.found) = (notes.counts, notes.found);
        }
        for found in self.found.clone() {
            let operations = self.operations_to(found);
            let known = self.counterexamples.iter().map(|one| one.failure.invariant()).collect();
            let counterexample = Counterexample::again(self.exploration, operations, known);
            self.counterexamples.push(
                counterexample
                    .ok_or_else(|| damaged("a violation that it tells of does not show again"))?,
            );
        }
        Ok(())
    }

    fn notes(&self) -> String {
        let notes = Notes { counts: self.counts.clone(), found: self.found.clone() };
        serde_json::to_string(&notes).unwrap_or_default()
    }

    /// Expands the last level. How the exploration ends with that, if it does.
    fn expand_level(
        &mut self,
        go_on: &impl Fn() -> bool,
        on_progress: &mut impl FnMut(Progress),
    ) -> Result<Option<Ended>, CheckpointError> {
        let depth = self.levels.len() - 1;
        let limits = self.exploration.limits;
        let number = self.levels[depth].len();
        let go_deeper = depth < limits.depth_max;
        let (mut of_states, mut of_operations) = (Vec::new(), Vec::new());
        let mut next = Level::default();
        let mut writer = match self.checkpoint {
            Some(checkpoint) if go_deeper => Some(checkpoint.begin(depth + 1)?),
            _ => None,
        };
        self.expanded = 0;
        for start in (0..number).step_by(CHUNK) {
            if !go_on() {
                self.levels.push(next);
                return Ok(Some(Ended::Interrupted));
            }
            let range = start..number.min(start + CHUNK);
            let pieces = self.expand(range.clone(), go_deeper);
            for piece in &pieces {
                note(&mut of_states, piece.of_states.iter().cloned());
                note(&mut of_operations, piece.of_operations.iter().cloned());
                self.counts.add(&piece.counts);
            }
            // An operation that violates is the last one; only the states themselves still matter.
            let is_over = !self.exploration.keep_going && !of_operations.is_empty();
            if go_deeper && !is_over {
                let candidates = pieces
                    .iter()
                    .map(|piece| piece.candidates.iter().map(Vec::len).sum::<usize>())
                    .sum();
                if !self.make_room(candidates) {
                    self.levels.push(next);
                    return Ok(Some(Ended::Memory));
                }
                self.insert(&range, &pieces, &mut next, writer.as_mut())?;
            }
            self.expanded = range.end;
            on_progress(self.progress(depth));
            if self.distinct > limits.states_max {
                self.levels.push(next);
                return Ok(Some(Ended::States));
            }
        }
        self.note_violations(&of_states, &of_operations);
        if !self.counterexamples.is_empty() && !self.exploration.keep_going {
            self.levels.push(next);
            return Ok(Some(Ended::AtViolation));
        }
        if !go_deeper {
            return Ok(Some(Ended::Depth));
        }
        if next.is_empty() {
            return Ok(Some(Ended::Exhausted));
        }
        self.levels.push(next);
        if let Some(writer) = writer {
            writer.finish(self.levels.get(depth), &self.notes())?;
        }
        Ok(None)
    }

    fn expand(&self, range: Range<usize>, go_deeper: bool) -> Vec<Expanded> {
        let expander = Expander {
            space: &self.space,
            root: &self.root,
            levels: &self.levels,
            table: &self.table,
            owners: OWNERS,
            second_phase: self.exploration.second_phase,
            go_deeper,
            go_on: self.exploration.keep_going,
        };
        let starts: Vec<_> = range.clone().step_by(PIECE).collect();
        let piece = |start: usize| expander.run(start..range.end.min(start + PIECE));
        starts.into_par_iter().map(piece).collect()
    }

    /// Makes sure that so many more states fit into the table. False if memory is over.
    fn make_room(&mut self, more: usize) -> bool {
        let needed = (self.distinct as usize + more) * 100 / LOAD_MAX + 1;
        if needed <= self.table.homes() {
            return true;
        }
        let (homes, is_wide) = (needed.max(self.table.homes() * 5 / 4), self.exploration.is_wide);
        // While the table grows there are two.
        let while_growing = self.bytes() + table_bytes(homes, is_wide);
        if while_growing > self.exploration.limits.memory_max {
            return false;
        }
        self.table = self.table.grown(homes);
        true
    }

    /// Inserts what is new of a chunk, and notes the children of its states.
    fn insert(
        &mut self,
        range: &Range<usize>,
        pieces: &[Expanded],
        next: &mut Level,
        mut writer: Option<&mut LevelWriter>,
    ) -> Result<(), CheckpointError> {
        let table = &self.table;
        let mut new: Vec<Candidate> = (0..OWNERS)
            .into_par_iter()
            .flat_map_iter(|owner| {
                let candidates = pieces.iter().flat_map(move |piece| &piece.candidates[owner]);
                candidates.filter(|one| table.insert(one.fingerprint) == Inserted::New).copied()
            })
            .collect();
        new.par_sort_unstable_by_key(|one| (one.parent, one.choice));
        self.distinct += new.len() as u64;
        let level = self.levels.len() - 1;
        let mut rest = new.as_slice();
        for parent in range.clone() {
            let children = rest.partition_point(|one| one.parent as usize <= parent);
            self.levels[level].note_children(children as u16);
            for child in &rest[..children] {
                next.push(child.choice);
                if let Some(writer) = &mut writer {
                    writer.state(child.choice, child.fingerprint)?;
                }
            }
            rest = &rest[children..];
        }
        Ok(())
    }

    /// Keeps the first violation of each invariant: by a state of this level before one by an
    /// operation, which leads to the next.
    fn note_violations(&mut self, of_states: &[Hit], of_operations: &[Hit]) {
        for hits in [of_states, of_operations] {
            let only_one = [first(hits).cloned()];
            let hits: Vec<_> = if self.exploration.keep_going {
                hits.to_vec()
            } else {
                only_one.into_iter().flatten().collect()
            };
            for hit in hits {
                let invariant = hit.violation.invariant;
                let is_known = |one: &Counterexample<M>| one.failure.invariant() == invariant;
                let is_enough = !self.exploration.keep_going && !self.counterexamples.is_empty();
                if !is_enough && !self.counterexamples.iter().any(is_known) {
                    let Hit { state, choice, .. } = hit;
                    let found = Found { level: self.level_expanded(), state, choice };
                    let operations = self.operations_to(found);
                    let exploration = self.exploration;
                    let counterexample = Counterexample::confirmed(exploration, operations, &hit);
                    self.counterexamples.push(counterexample);
                    self.found.push(found);
                }
            }
        }
    }

    /// The operations that lead to a violation.
    fn operations_to(&self, found: Found) -> Vec<M::Operation> {
        let walk = Walk::from(&self.levels[..=found.level], found.state);
        let mut node = self.root.clone();
        let (mut offered, mut operations) = (Vec::new(), Vec::new());
        for choice in walk.choices_from(1).chain(found.choice) {
            self.space.offered(&node, &mut offered);
            let operation = offered[usize::from(choice)];
            self.space.apply(&mut node, operation);
            operations.push(operation);
        }
        operations
    }

    /// The level that is being expanded: the last one.
    fn level_expanded(&self) -> usize {
        self.levels.len() - 1
    }

    fn bytes(&self) -> usize {
        let table = table_bytes(self.table.homes(), self.exploration.is_wide);
        table + self.levels.iter().map(Level::bytes).sum::<usize>()
    }

    fn load(&self) -> f64 {
        self.distinct as f64 / self.table.homes() as f64
    }

    fn progress(&self, level: usize) -> Progress {
        Progress {
            level,
            frontier: self.levels[level].len(),
            expanded: self.expanded,
            distinct: self.distinct,
            generated: 1 + self.counts.generated,
            load: self.load(),
            bytes: self.bytes(),
        }
    }

    fn conclude(mut self, ended: Ended) -> Explored<M> {
        let mut levels: Vec<_> = self.levels.iter().map(|level| level.len() as u64).collect();
        while levels.last() == Some(&0) {
            levels.pop();
        }
        self.counterexamples.sort_by_key(|one| (one.operations.len(), one.failure.phase));
        let is_over = matches!(ended, Ended::Exhausted);
        let unexpanded = if is_over { 0 } else { self.unexpanded(ended) };
        Explored {
            ended,
            collisions: Collisions::of(&self.table, self.distinct, 1 + self.counts.generated),
            bytes: self.bytes(),
            load: self.load(),
            counterexamples: self.counterexamples,
            levels,
            unexpanded,
            counts: self.counts,
        }
    }

    /// States that were visited and not expanded.
    fn unexpanded(&self, ended: Ended) -> u64 {
        let last = self.levels.len() - 1;
        match ended {
            Ended::Depth => self.levels[last].len() as u64,
            _ => {
                let before = self.levels[last.saturating_sub(1)].len() - self.expanded;
                (before + self.levels[last].len()) as u64
            }
        }
    }
}
