//! Mutation of operations rather than of bytes.

use highwater::isr::Rules;
use highwater::scenario::Dice;
use highwater::scenario::fuzz_input::mutate;
use libfuzzer_sys::fuzzer_mutate;

/// Once in so many times libFuzzer's own mutation is used: it knows which comparisons failed.
const LIBFUZZER_ONE_IN: u32 = 8;

/// Changes the input of `size` bytes in `data` and returns its new size, at most `max_size`.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32, rules: Rules) -> usize {
    let mut dice = Dice::new(seed.into(), 0);
    if dice.chance(1, LIBFUZZER_ONE_IN) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mutant = mutate::mutant(&data[..size], max_size, rules, &mut dice);
    store(&mutant, data, max_size)
}

/// Joins the beginning of one input and the end of another in `out`, and returns the size of that.
pub fn cross(one: &[u8], other: &[u8], out: &mut [u8], seed: u32, rules: Rules) -> usize {
    let mut dice = Dice::new(seed.into(), 1);
    let child = mutate::cross(one, other, out.len(), rules, &mut dice);
    let max_size = out.len();
    store(&child, out, max_size)
}

/// What does not fit is no input, whatever of it is stored.
fn store(bytes: &[u8], data: &mut [u8], max_size: usize) -> usize {
    let size = bytes.len().min(max_size).min(data.len());
    data[..size].copy_from_slice(&bytes[..size]);
    size
}
