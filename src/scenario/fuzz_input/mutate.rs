//! Mutation that respects the structure of an input: operations are inserted, taken out, swapped,
//! copied elsewhere, and changed in one field; two inputs are joined at operations.

use super::{FuzzInput, HEADER, OPERATIONS_MAX, RECORD};
use crate::isr::{Operation, Rules};
use crate::scenario::Dice;

/// The most operations that one step inserts, takes out or copies.
const RUN_MAX: u32 = 6;

/// A mutant of `bytes` that takes at most `max_size` bytes and follows `rules`. What is no input
/// becomes one of no operations first.
pub fn mutant(bytes: &[u8], max_size: usize, rules: Rules, dice: &mut Dice) -> Vec<u8> {
    let mut records = Records::of(bytes, max_size);
    // Mostly one step, now and then several.
    loop {
        records.change(dice);
        if dice.chance(2, 3) {
            break;
        }
    }
    records.finish(rules)
}

/// The beginning of one input and the end of another.
pub fn cross(one: &[u8], other: &[u8], max_size: usize, rules: Rules, dice: &mut Dice) -> Vec<u8> {
    let mut records = Records::of(one, max_size);
    let end = Records::of(other, max_size).records;
    records.records.truncate(dice.below(records.records.len() as u32 + 1) as usize);
    records.records.extend_from_slice(&end[dice.below(end.len() as u32 + 1) as usize..]);
    records.finish(rules)
}

/// An input, cut into its fields.
struct Records {
    header: [u8; HEADER],
    records: Vec<[u8; RECORD]>,
    records_max: usize,
}

impl Records {
    fn of(bytes: &[u8], max_size: usize) -> Self {
        let records_max = (max_size.saturating_sub(HEADER) / RECORD).min(OPERATIONS_MAX);
        let header = bytes.first_chunk().filter(|_| FuzzInput::decode(bytes).is_ok());
        // Three nodes, everything else the reference simulator's default.
        let header = header.copied().unwrap_or([
            super::FUZZ_INPUT_VERSION,
            1,
            0,
            0,
            0,
            3,
            0,
            2,
            3,
            8,
            1,
            32,
            4,
        ]);
        let (records, _) = bytes.get(HEADER..).unwrap_or_default().as_chunks();
        Self { header, records: records.to_vec(), records_max }
    }

    fn change(&mut self, dice: &mut Dice) {
        match dice.below(16) {
            0..5 => self.insert(dice),
            5..8 => self.delete(dice),
            8..10 => self.swap(dice),
            10..12 => self.copy(dice),
            12..15 => self.change_operation(dice),
            _ => self.change_configuration(dice),
        }
    }

    fn insert(&mut self, dice: &mut Dice) {
        for _ in 0..dice.pick(&[1, 1, 1, 2, 3]) {
            let place = self.place(dice);
            self.records.insert(place, random_record(dice));
        }
    }

    fn delete(&mut self, dice: &mut Dice) {
        let run = self.run(dice);
        self.records.drain(run);
    }

    fn swap(&mut self, dice: &mut Dice) {
        if let Some(last) = self.records.len().checked_sub(1) {
            let [one, other] = [0; 2].map(|_| dice.below(last as u32 + 1) as usize);
            self.records.swap(one, other);
        }
    }

    fn copy(&mut self, dice: &mut Dice) {
        let run = self.records[self.run(dice)].to_vec();
        let place = self.place(dice);
        self.records.splice(place..place, run);
    }

    fn change_operation(&mut self, dice: &mut Dice) {
        if self.records.is_empty() {
            return self.insert(dice);
        }
        let place = dice.below(self.records.len() as u32) as usize;
        let field = dice.below(RECORD as u32) as usize;
        self.records[place][field] = if field == 0 { random_kind(dice) } else { small(dice) };
    }

    fn change_configuration(&mut self, dice: &mut Dice) {
        // The version and the rules are not for mutation.
        let field = 5 + dice.below(HEADER as u32 - 5) as usize;
        self.header[field] = small(dice);
    }

    fn place(&self, dice: &mut Dice) -> usize {
        dice.below(self.records.len() as u32 + 1) as usize
    }

    /// A few operations in a row.
    fn run(&self, dice: &mut Dice) -> std::ops::Range<usize> {
        let start = self.place(dice);
        let length = 1 + dice.below(RUN_MAX) as usize;
        start..self.records.len().min(start + length)
    }

    fn finish(mut self, rules: Rules) -> Vec<u8> {
        self.records.truncate(self.records_max);
        let bytes = [self.header.as_slice(), self.records.as_flattened()].concat();
        let decoded = FuzzInput::decode(&bytes).ok().and_then(|mut input| {
            input.settings.rules = rules;
            input.encode().ok()
        });
        // What was decoded can be encoded.
        decoded.unwrap_or(bytes)
    }
}

fn random_record(dice: &mut Dice) -> [u8; RECORD] {
    // Mostly a fresh value: only those can be told apart.
    let last = if dice.chance(1, 8) { small(dice) } else { 0 };
    [random_kind(dice), small(dice), small(dice), last]
}

fn random_kind(dice: &mut Dice) -> u8 {
    dice.below(Operation::NAMES.len() as u32) as u8
}

/// Mostly a very small number, since that is where edges are.
fn small(dice: &mut Dice) -> u8 {
    let end = dice.pick(&[2, 2, 3, 4, 5, 8, 33]);
    dice.below(end) as u8
}
