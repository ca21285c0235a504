//! `client-linearizability`: clients see one register per key.
//!
//! Reads are served at one instant, writes take effect at some instant between submission and
//! answer. So it is enough to remember, for each key, every way in which the past can be explained:
//! the present value, when it was put there, and which writes of unknown outcome were used up. This
//! is the just-in-time linearization of Wing and Gong's algorithm (JPDC 1993) in Lowe's form
//! ("Testing for linearizability", 2017), kept incrementally: a write is linearized only when a read
//! or an answer needs it.
//!
//! A write that was open when the present value was put there may have taken effect just before,
//! and been overwritten unseen. Which writes those are follows from the two times alone, so an
//! explanation need not list them.

use super::Invariant;
use crate::canonical::{Canonical, Sink};
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{AckLevel, Event, Evidence, Fact, KeyId, ReadLevel, ValueId, View, WriteId};
use smallvec::SmallVec;
use std::mem;

/// Per key, accepted `ALL_ISR` writes and linearizable or lease reads are linearizable. `LEADER`
/// writes, and writes not accepted after their append, may take effect at most once, later, or
/// never; a write refused at admission never does.
#[derive(Debug)]
pub struct ClientLinearizability;

/// Writes of unknown outcome that can be tracked at a time, over all keys.
const OPEN_WRITES_MAX: usize = 128;
/// Explanations of one key's past that are kept.
const EXPLANATIONS_MAX: usize = 64;

/// All that is known of what clients saw.
#[derive(Debug, Default)]
pub struct Explanations {
    /// Writes that may yet take effect; a write keeps its slot for as long as it is open.
    open: SmallVec<[Option<OpenWrite>; 16]>,
    /// By key. A key that is not there has never been read or acknowledged.
    keys: SmallVec<[Option<Key>; 8]>,
    /// Counts events, to tell before from after.
    now: u32,
}

crate::clone_in_place!(Explanations: copied { open } cloned { keys, now });

#[derive(Clone, Copy, Debug)]
struct OpenWrite {
    write: WriteId,
    key: KeyId,
    value: ValueId,
    submitted: u32,
    /// No answer will come any more that says that it took effect.
    unresolved: bool,
}

type Key = SmallVec<[Explanation; 4]>;

/// One way to explain all that was seen of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Explanation {
    value: Option<ValueId>,
    /// When the value was put there; 0 for the initial absence.
    since: u32,
    /// Slots of open writes that have taken effect in this explanation.
    used: u128,
}

impl Explanation {
    /// Whether whatever may follow `other` may follow this one too.
    fn covers(self, other: Self) -> bool {
        self.value == other.value && self.since >= other.since && self.used & !other.used == 0
    }
}

impl Invariant for ClientLinearizability {
    type Ghost = Explanations;
    const NAME: &'static str = "client-linearizability";
    const STATEMENT: &'static str = "per key, accepted ALL_ISR writes and LINEARIZABLE or lease reads are linearizable; LEADER writes and writes not accepted after their append may take effect at most once, later, or never; a write refused at admission never does";

    #[inline]
    fn check<V: View>(
        ghost: &mut Explanations,
        _ledger: &Ledger,
        event: Event,
        _view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        match event {
            Event::WriteSubmitted { write, key, value, .. } => ghost.open(write, key, value),
            Event::WriteRefused { write } => ghost.refused(write),
            Event::WriteAnswered { write, ack, accepted, .. } => {
                if ack == AckLevel::AllIsr && accepted {
                    ghost.accepted(write)
                } else {
                    ghost.unresolved(write);
                    Ok(())
                }
            }
            Event::ReadServed { level: ReadLevel::Linearizable, key, value, .. } => {
                *tested += 1;
                ghost.read(key, value)
            }
            _ => Ok(()),
        }
    }
}

impl Explanations {
    fn open(&mut self, write: WriteId, key: KeyId, value: ValueId) -> Result<(), Finding> {
        self.now += 1;
        let entry = Some(OpenWrite { write, key, value, submitted: self.now, unresolved: false });
        if let Some(slot) = self.open.iter_mut().find(|slot| slot.is_none()) {
            *slot = entry;
        } else if self.open.len() < OPEN_WRITES_MAX {
            self.open.push(entry);
        } else {
            return Err(Finding::Undecided);
        }
        Ok(())
    }

    fn slot_of(&self, write: WriteId) -> Option<(usize, OpenWrite)> {
        let found = |slot: &Option<OpenWrite>| slot.filter(|open| open.write == write);
        self.open.iter().enumerate().find_map(|(slot, open)| Some((slot, found(open)?)))
    }

    fn key(&mut self, key: KeyId) -> &mut Key {
        let index = usize::from(key.0);
        if index >= self.keys.len() {
            self.keys.resize(index + 1, None);
        }
        self.keys[index].get_or_insert_with(|| SmallVec::from_slice(&[Explanation::default()]))
    }

    fn refused(&mut self, write: WriteId) -> Result<(), Finding> {
        let Some((slot, open)) = self.slot_of(write) else { return Ok(()) };
        self.open[slot] = None;
        let explanations = self.key(open.key);
        explanations.retain(|explanation| explanation.used & (1 << slot) == 0);
        if explanations.is_empty() {
            return Err(refused_but_seen(open).into());
        }
        Ok(())
    }

    fn unresolved(&mut self, write: WriteId) {
        if let Some((slot, _)) = self.slot_of(write)
            && let Some(open) = &mut self.open[slot]
        {
            open.unresolved = true;
            let key = open.key;
            self.forget_spent_writes(key);
        }
    }

    fn accepted(&mut self, write: WriteId) -> Result<(), Finding> {
        self.now += 1;
        let now = self.now;
        let Some((slot, open)) = self.slot_of(write) else { return Ok(()) };
        self.open[slot] = None;
        let bit = 1 << slot;
        let mut next = Key::new();
        for &explanation in self.key(open.key).iter() {
            let used = explanation.used & !bit;
            if explanation.used & bit != 0 {
                add(&mut next, Explanation { used, ..explanation })?;
                continue;
            }
            if open.submitted < explanation.since {
                add(&mut next, explanation)?;
            }
            add(&mut next, Explanation { value: Some(open.value), since: now, used })?;
        }
        *self.key(open.key) = next;
        Ok(())
    }

    fn read(&mut self, key: KeyId, value: Option<ValueId>) -> Result<(), Finding> {
        self.now += 1;
        let now = self.now;
        let mut next = Key::new();
        let past = self.key(key).clone();
        for &explanation in &past {
            if explanation.value == value {
                // An open write of the same value is better kept for when it is needed.
                add(&mut next, explanation)?;
                continue;
            }
            let mut unresolved_is_used = false;
            for (slot, open) in self.open.iter().enumerate() {
                let Some(open) = open else { continue };
                let bit = 1 << slot;
                if open.key != key || Some(open.value) != value || explanation.used & bit != 0 {
                    continue;
                }
                if open.unresolved && mem::replace(&mut unresolved_is_used, true) {
                    // As good as the one before: nothing more will be heard of either.
                    continue;
                }
                let used = explanation.used | bit;
                add(&mut next, Explanation { value, since: now, used })?;
            }
        }
        if next.is_empty() {
            return Err(not_linearizable(key, value, &past).into());
        }
        *self.key(key) = next;
        self.forget_spent_writes(key);
        Ok(())
    }

    /// Frees the slots of writes that have taken effect in every explanation and to which no answer
    /// will come any more.
    fn forget_spent_writes(&mut self, key: KeyId) {
        let Some(Some(explanations)) = self.keys.get_mut(usize::from(key.0)) else { return };
        let spent = explanations.iter().fold(u128::MAX, |spent, one| spent & one.used);
        if spent == 0 {
            return;
        }
        for (slot, open) in self.open.iter_mut().enumerate() {
            let bit = 1 << slot;
            if spent & bit != 0 && open.is_some_and(|open| open.unresolved) {
                *open = None;
                for explanation in explanations.iter_mut() {
                    explanation.used &= !bit;
                }
            }
        }
    }
}

fn add(explanations: &mut Key, new: Explanation) -> Result<(), Finding> {
    if explanations.iter().any(|one| one.covers(new)) {
        return Ok(());
    }
    explanations.retain(|one| !new.covers(*one));
    if explanations.len() == EXPLANATIONS_MAX {
        return Err(Finding::Undecided);
    }
    explanations.push(new);
    Ok(())
}

#[cold]
fn refused_but_seen(open: OpenWrite) -> Evidence {
    Evidence::new(
        "refused-write-took-effect",
        "the write {key}={value} was refused at admission, but a read had already returned it",
    )
    .with("key", Fact::Key(open.key))
    .with("value", Fact::Value(Some(open.value)))
}

#[cold]
fn not_linearizable(key: KeyId, value: Option<ValueId>, past: &Key) -> Evidence {
    Evidence::new(
        "read-not-linearizable",
        "a linearizable read of {key} returned {value}, and no order of the writes explains all that clients saw of {key}; {expected}, for one, would have been explained",
    )
    .with("key", Fact::Key(key))
    .with("value", Fact::Value(value))
    .with("expected", Fact::Value(past[0].value))
}

impl Canonical for Explanations {
    /// Slots are renumbered, writes that wait in the order of submission, so that it does not
    /// matter which of them were free; of times only what a later answer may ask is encoded.
    fn encode(&self, sink: &mut impl Sink) {
        let writes = self.slots_in_order();
        sink.word(writes.len() as u64);
        for open in writes.iter().filter_map(|&slot| self.open[slot]) {
            let name = (u64::from(open.key.0) << 16) | open.value.index() as u64;
            sink.word((u64::from(open.unresolved) << 32) | name);
        }
        for (key, explanations) in self.keys.iter().enumerate() {
            let Some(explanations) = explanations else { continue };
            if explanations.as_slice() == [Explanation::default()] {
                continue;
            }
            let rows = explanations.iter().map(|one| self.row(*one, KeyId(key as u16), &writes));
            let mut rows: SmallVec<[_; 4]> = rows.collect();
            rows.sort_unstable();
            sink.word((rows.len() as u64) << 16 | key as u64);
            for (value, used, overwritable) in rows {
                sink.word(value);
                for mask in [used, overwritable] {
                    sink.word(mask as u64);
                    sink.word((mask >> 64) as u64);
                }
            }
        }
        sink.word(0);
    }
}

impl Explanations {
    /// The slots in use: first the writes that wait, then the unresolved ones, of which only key and
    /// value matter.
    fn slots_in_order(&self) -> SmallVec<[usize; 16]> {
        let mut slots: SmallVec<[usize; 16]> = SmallVec::new();
        slots.extend((0..self.open.len()).filter(|&slot| self.open[slot].is_some()));
        slots.sort_unstable_by_key(|&slot| {
            self.open[slot].map(|open| {
                let name = open.unresolved.then_some((open.key, open.value));
                (name, open.submitted)
            })
        });
        slots
    }

    /// An explanation: the value, and as masks of `writes` those that are used, and those that wait
    /// and may have been overwritten unseen.
    fn row(&self, one: Explanation, key: KeyId, writes: &[usize]) -> (u64, u128, u128) {
        let mut row = (one.value.map_or(0, |value| value.index() as u64 + 1), 0, 0);
        for (place, &slot) in writes.iter().enumerate() {
            let Some(open) = self.open[slot] else { continue };
            let waits = open.key == key && !open.unresolved;
            row.1 |= (one.used >> slot & 1) << place;
            row.2 |= u128::from(waits && open.submitted < one.since) << place;
        }
        row
    }
}

#[cfg(test)]
mod tests;
