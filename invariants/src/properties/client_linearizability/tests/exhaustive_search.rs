//! What linearizability says, word by word and without haste: a history is linearizable if there is
//! an order of the writes in which every read finds what it found. The incremental checker must
//! agree with it, on the step, over many random histories.

use super::{history, tell};
use crate::canonical::Canonical;
use crate::testing::Dice;
use std::collections::{HashMap, HashSet};

/// One event of a history. Writes and values are numbered; a write is named when it is submitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// This write of this key and value begins.
    Submit(usize, u16, usize),
    /// It has taken effect by now.
    Accept(usize),
    /// It never takes effect.
    Refuse(usize),
    /// It may take effect at any later time, or never.
    Unresolve(usize),
    /// A read of this key finds this value.
    Read(u16, Option<usize>),
}

use Step::{Accept, Read, Refuse, Submit, Unresolve};

const KEYS: usize = 2;
const WRITES_MAX: usize = 7;

/// The search: after `next` steps, with these writes having taken effect, the keys hold `values`.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Moment {
    next: usize,
    done: [bool; WRITES_MAX],
    values: [Option<usize>; KEYS],
}

/// Whether some order of the writes explains all of `steps`.
fn is_linearizable(steps: &[Step]) -> bool {
    let start = Moment { next: 0, done: [false; WRITES_MAX], values: [None; KEYS] };
    let mut seen = HashSet::new();
    let mut rest = vec![start];
    while let Some(moment) = rest.pop() {
        let Some(&step) = steps.get(moment.next) else { return true };
        if !seen.insert(moment.clone()) {
            continue;
        }
        rest.extend(writes_that_take_effect(steps, &moment));
        let goes_on = match step {
            Submit(..) | Refuse(_) | Unresolve(_) => true,
            Accept(write) => moment.done[write],
            Read(key, found) => moment.values[usize::from(key)] == found,
        };
        if goes_on {
            rest.push(Moment { next: moment.next + 1, ..moment });
        }
    }
    false
}

/// Any one write that has begun, has not taken effect, and is never refused, takes effect now.
fn writes_that_take_effect(steps: &[Step], moment: &Moment) -> Vec<Moment> {
    let begun = steps[..moment.next].iter().filter_map(|step| match *step {
        Submit(write, key, value) => Some((write, key, value)),
        _ => None,
    });
    let may = begun.filter(|&(write, ..)| !moment.done[write] && !steps.contains(&Refuse(write)));
    may.map(|(write, key, value)| {
        let mut after = moment.clone();
        after.done[write] = true;
        after.values[usize::from(key)] = Some(value);
        after
    })
    .collect()
}

/// A random history. Reads mostly find what registers hold to which the writes happen at random, so
/// that many histories are linearizable, and many nearly so.
struct Author {
    dice: Dice,
    keys: usize,
    values: usize,
    /// Once in so many times a read finds something else.
    lies_one_in: usize,
    registers: [Option<usize>; KEYS],
    writes: Vec<Write>,
}

struct Write {
    key: usize,
    value: usize,
    waits: bool,
    /// Whether it has taken effect, or is known not to.
    done: bool,
}

impl Author {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let (keys, values) = (1 + dice.below(KEYS), 1 + dice.below(4));
        let lies_one_in = [4, 10, 1000][dice.below(3)];
        Self { dice, keys, values, lies_one_in, registers: [None; KEYS], writes: Vec::new() }
    }

    fn history(mut self) -> Vec<Step> {
        let length = 4 + self.dice.below(22);
        (0..length).map(|_| self.step()).collect()
    }

    fn step(&mut self) -> Step {
        self.let_writes_take_effect();
        let waiting: Vec<usize> =
            (0..self.writes.len()).filter(|&write| self.writes[write].waits).collect();
        match self.dice.below(10) {
            0..3 if self.writes.len() < WRITES_MAX => self.submit(),
            3..6 if !waiting.is_empty() => {
                let write = waiting[self.dice.below(waiting.len())];
                self.answer(write)
            }
            _ => self.read(),
        }
    }

    fn let_writes_take_effect(&mut self) {
        for write in 0..self.writes.len() {
            if !self.writes[write].done && self.dice.one_in(4) {
                self.take_effect(write);
            }
        }
    }

    fn take_effect(&mut self, write: usize) {
        let write = &mut self.writes[write];
        self.registers[write.key] = Some(write.value);
        write.done = true;
    }

    fn submit(&mut self) -> Step {
        let (key, value) = (self.dice.below(self.keys), self.dice.below(self.values));
        self.writes.push(Write { key, value, waits: true, done: false });
        Submit(self.writes.len() - 1, key as u16, value)
    }

    fn answer(&mut self, write: usize) -> Step {
        self.writes[write].waits = false;
        match (self.writes[write].done, self.dice.below(3)) {
            (true, 0..2) => Accept(write),
            (false, 0) => {
                self.take_effect(write);
                Accept(write)
            }
            (false, 1) => {
                self.writes[write].done = true;
                Refuse(write)
            }
            _ if self.dice.one_in(2 * self.lies_one_in) => Refuse(write),
            _ => Unresolve(write),
        }
    }

    fn read(&mut self) -> Step {
        let key = self.dice.below(self.keys);
        let found = if self.dice.one_in(self.lies_one_in) {
            self.dice.below(self.values + 1).checked_sub(1)
        } else {
            self.registers[key]
        };
        Read(key as u16, found)
    }
}

#[test]
fn the_checker_agrees_with_exhaustive_search_on_the_very_step() {
    let (mut violated, mut linearizable) = (0, 0);
    for seed in 0..20_000 {
        let steps = Author::new(seed).history();
        let mut run = history(&[]);
        let broken_at = steps.iter().position(|&step| {
            tell(&mut run, step);
            !run.checker().violations().is_empty()
        });
        assert!(run.checker().undecided().is_empty(), "seed {seed}: {steps:?}");
        if let Some(last) = broken_at {
            violated += 1;
            assert!(is_linearizable(&steps[..last]), "seed {seed}, step {last}: {steps:?}");
            assert!(!is_linearizable(&steps[..=last]), "seed {seed}, step {last}: {steps:?}");
        } else {
            linearizable += 1;
            assert!(is_linearizable(&steps), "seed {seed}: {steps:?}");
        }
    }
    assert!(violated > 5_000 && linearizable > 5_000, "{violated} and {linearizable}");
}

/// The past up to `steps`, continued by writes, answers and reads at random: after how many steps
/// it is found to be broken. Waiting writes are answered by their order of submission, so that any
/// two pasts with as many of them can be continued alike.
fn breaks_after(steps: &[Step], future: u64) -> Option<usize> {
    let mut dice = Dice(future);
    let mut run = history(steps);
    let mut submitted = WRITES_MAX;
    let mut waiting: Vec<usize> = Vec::new();
    for &step in steps {
        match step {
            Submit(write, ..) => waiting.push(write),
            Accept(write) | Refuse(write) | Unresolve(write) => waiting.retain(|&w| w != write),
            Read(..) => {}
        }
    }
    (0..12).position(|_| {
        let step = match dice.below(6) {
            0 => {
                waiting.push(submitted);
                submitted += 1;
                Submit(submitted - 1, 0, dice.below(2))
            }
            1..4 if !waiting.is_empty() => {
                let write = waiting.remove(dice.below(waiting.len()));
                [Accept(write), Accept(write), Refuse(write), Unresolve(write)][dice.below(4)]
            }
            _ => Read(0, dice.below(3).checked_sub(1)),
        };
        tell(&mut run, step);
        !run.checker().violations().is_empty()
    })
}

#[test]
fn pasts_that_are_the_same_state_break_in_the_same_futures() {
    let mut states: HashMap<Vec<u64>, Vec<Step>> = HashMap::new();
    let mut merged = 0;
    for seed in 0..10_000 {
        let mut author = Author::new(seed);
        (author.keys, author.values) = (1, 2);
        let mut steps = author.history();
        steps.truncate(9);
        let run = history(&steps);
        if !run.checker().violations().is_empty() {
            continue;
        }
        let mut words = Vec::new();
        run.checker().encode(&mut words);
        let other = states.entry(words).or_insert_with(|| steps.clone());
        if *other != steps {
            merged += 1;
            for future in 0..4 {
                let future = seed * 4 + future;
                assert_eq!(
                    breaks_after(&steps, future),
                    breaks_after(other, future),
                    "future {future} of {steps:?} and {other:?}"
                );
            }
        }
    }
    assert!(merged > 2_500, "{merged} merged, {} states", states.len());
}

#[test]
fn exhaustive_search_knows_what_it_is_about() {
    assert!(is_linearizable(&[Submit(0, 0, 1), Read(0, None), Read(0, Some(1)), Accept(0)]));
    assert!(!is_linearizable(&[Submit(0, 0, 1), Accept(0), Read(0, None)]));
    assert!(!is_linearizable(&[Read(0, Some(1)), Submit(0, 0, 1)]));
    assert!(!is_linearizable(&[Submit(0, 0, 1), Read(0, Some(1)), Refuse(0)]));
    assert!(is_linearizable(&[Submit(0, 0, 1), Unresolve(0), Read(0, None), Read(0, Some(1))]));
}
