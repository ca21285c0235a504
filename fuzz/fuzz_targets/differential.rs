//! The same operations on two builds of the state: they must agree.

#![no_main]

use highwater::fuzz::differential;
use highwater::isr::{Rules, Variant};
use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

fuzz_target!(
    init: highwater_fuzz::plant("corpus/isr_ops", None),
    |bytes: &[u8]| -> libfuzzer_sys::Corpus {
        highwater_fuzz::conclude(differential::fuzz(bytes))
    }
);

/// Every variant must agree with itself.
fn rules(seed: u32) -> Rules {
    Rules::of(Variant::ALL[seed as usize % Variant::ALL.len()])
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    highwater_fuzz::mutate(data, size, max_size, seed, rules(seed))
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    highwater_fuzz::cross(one, other, out, seed, rules(seed))
});
