//! Level-synchronous breadth-first search.
//!
//! A level is expanded in chunks. All threads expand states of a chunk and look up successors in the
//! table, which does not change meanwhile; what is not there is then inserted, each part of the table
//! by its owner, in the order of parents and operations. So of all ways to a state the same one is
//! kept on any number of threads, and a counterexample is not only a shortest one but always the
//! same.

use crate::explore::checkpoint::{Checkpoint, CheckpointError, LevelWriter};
use crate::explore::collisions::Collisions;
use crate::explore::counterexample::Counterexample;
use crate::explore::expand::{Candidate, Counts, Expanded, Expander, Hit, first, note};
use crate::explore::explored::{Ended, Explored, Limits, Progress};
use crate::explore::explorer::Exploration;
use crate::explore::levels::{Level, Walk};
use crate::explore::node::{Node, Space};
use crate::explore::restore::Found;
use crate::explore::table::{Inserted, Table};
use crate::model::{Model, Words};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicU64;

/// States that are expanded before the table is changed.
const CHUNK: usize = 1 << 15;
/// States that one thread expands at a time.
const PIECE: usize = 512;
/// Parts of the table that are filled side by side.
const OWNERS: usize = 16;
/// How full the table may get, in percent. Fuller, looking up takes long.
const LOAD_MAX: usize = 88;
/// Homes of the first table.
const HOMES_MIN: usize = 1 << 12;

/// Homes of the first table: enough for all states, if it is known how many there may be and memory
/// allows it, so that it need not grow.
fn first_homes(limits: Limits, is_wide: bool) -> usize {
    let states = usize::try_from(limits.states_max).unwrap_or(usize::MAX);
    let enough = states.saturating_add(10 * CHUNK).saturating_mul(100) / LOAD_MAX;
    let is_allowed = limits.states_max != u64::MAX
        && enough < usize::MAX / 32
        && table_bytes(enough, is_wide) <= limits.memory_max / 2;
    if is_allowed { enough } else { HOMES_MIN }
}

/// Bytes that a table of so many homes takes.
const fn table_bytes(homes: usize, is_wide: bool) -> usize {
    Table::<AtomicU64>::bytes(homes, is_wide)
}

/// An exploration in progress.
pub(super) struct Search<'e, M: Model> {
    pub(super) exploration: &'e Exploration<'e, M>,
    pub(super) space: Space<'e, M>,
    pub(super) root: Node<M>,
    pub(super) levels: Vec<Level>,
    pub(super) table: Table,
    pub(super) distinct: u64,
    pub(super) counts: Counts,
    pub(super) counterexamples: Vec<Counterexample<M>>,
    /// Where the counterexamples were found.
    pub(super) found: Vec<Found>,
    pub(super) expanded: usize,
    pub(super) checkpoint: Option<&'e Checkpoint>,
    /// What levels of this exploration are marked with.
    digest: u64,
}

impl<'e, M> Search<'e, M>
where
    M: Model + Sync,
    M::Settings: Sync,
    M::State: Send + Sync,
    M::Operation: Send + Sync,
{
    pub(super) fn new(
        exploration: &'e Exploration<'e, M>,
        checkpoint: Option<&'e Checkpoint>,
    ) -> Result<Self, CheckpointError> {
        let Exploration {
            model, ref settings, ref bounds, selection, is_wide, ref symmetries, ..
        } = *exploration;
        let space = Space { model, bounds, is_wide, symmetries };
        let root = Node::initial(model, settings, selection);
        let initial = space.fingerprint(&root, &mut Words::default());
        let mut search = Self {
            exploration,
            space,
            root,
            levels: Vec::new(),
            table: Table::new(first_homes(exploration.limits, is_wide), is_wide),
            distinct: 0,
            counts: Counts::new::<M>(),
            counterexamples: Vec::new(),
            found: Vec::new(),
            expanded: 0,
            checkpoint,
            digest: 0,
        };
        if let Some(checkpoint) = checkpoint {
            let identity = exploration.identity(initial);
            search.digest = identity.digest();
            let stored = checkpoint.open(&identity)?;
            if !stored.is_empty() {
                search.restore(checkpoint.folder(), stored)?;
                return Ok(search);
            }
            let mut writer = checkpoint.begin(0, search.digest)?;
            writer.state(0, initial)?;
            writer.finish(None, &search.notes())?;
        }
        search.table.insert(initial);
        search.distinct = 1;
        let mut level = Level::default();
        level.push(0);
        search.levels.push(level);
        Ok(search)
    }

    /// Expands the last level. How the exploration ends with that, if it does.
    pub(super) fn expand_level(
        &mut self,
        go_on: &impl Fn() -> bool,
        on_progress: &mut impl FnMut(Progress),
    ) -> Result<Option<Ended>, CheckpointError> {
        let depth = self.levels.len() - 1;
        let limits = self.exploration.limits;
        let number = self.levels[depth].len();
        let go_deeper = depth < limits.depth_max;
        if !go_deeper && !self.exploration.second_phase {
            // States were checked when they were reached.
            return Ok(Some(Ended::Depth));
        }
        let (mut of_states, mut of_operations) = (Vec::new(), Vec::new());
        let mut next = Level::default();
        let mut writer = match self.checkpoint {
            Some(checkpoint) if go_deeper => Some(checkpoint.begin(depth + 1, self.digest)?),
            _ => None,
        };
        self.expanded = 0;
        // A number of a state within its level has 32 bits.
        if u32::try_from(number).is_err() {
            return Ok(Some(self.stop(Ended::Memory, &of_states, &of_operations, next)));
        }
        for start in (0..number).step_by(CHUNK) {
            if !go_on() {
                return Ok(Some(self.stop(Ended::Interrupted, &of_states, &of_operations, next)));
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
                    return Ok(Some(self.stop(Ended::Memory, &of_states, &of_operations, next)));
                }
                self.insert(&range, &pieces, &mut next, writer.as_mut())?;
            }
            self.expanded = range.end;
            on_progress(self.progress(depth));
            if self.distinct > limits.states_max && range.end < number {
                return Ok(Some(self.stop(Ended::States, &of_states, &of_operations, next)));
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
        if self.distinct > limits.states_max {
            self.levels.push(next);
            return Ok(Some(Ended::States));
        }
        self.levels.push(next);
        if let Some(writer) = writer {
            writer.finish(self.levels.get(depth), &self.notes())?;
        }
        Ok(None)
    }

    /// Ends in the middle of a level. What was found is not lost, but a shorter one may not have been
    /// looked at yet.
    fn stop(
        &mut self,
        ended: Ended,
        of_states: &[Hit],
        of_operations: &[Hit],
        next: Level,
    ) -> Ended {
        self.note_violations(of_states, of_operations);
        self.levels.push(next);
        ended
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
    pub(super) fn make_room(&mut self, more: usize) -> bool {
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
    pub(super) fn operations_to(&self, found: Found) -> Vec<M::Operation> {
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

    pub(super) fn bytes(&self) -> usize {
        let table = table_bytes(self.table.homes(), self.exploration.is_wide);
        table + self.levels.iter().map(Level::bytes).sum::<usize>()
    }

    pub(super) fn load(&self) -> f64 {
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

    /// What came of it.
    pub(super) fn conclude(mut self, ended: Ended) -> Explored<M> {
        let mut levels: Vec<_> = self.levels.iter().map(|level| level.len() as u64).collect();
        while levels.last() == Some(&0) {
            levels.pop();
        }
        self.counterexamples.sort_by_key(|one| (one.operations.len(), one.failure.phase));
        let unexpanded = self.unexpanded(ended);
        Explored {
            ended,
            checked: self.exploration.selection,
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
            Ended::Exhausted => return 0,
            Ended::Depth => return self.levels[last].len() as u64,
            _ => {}
        }
        let before = self.levels[last.saturating_sub(1)].len() - self.expanded;
        (before + self.levels[last].len()) as u64
    }
}
