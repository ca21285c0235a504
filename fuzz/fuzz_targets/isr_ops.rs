//! Operations and faults, all invariants: a violation of `hardened` is a bug.

#![no_main]

use highwater::fuzz::isr_ops;
use highwater::isr::Rules;
use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use std::sync::LazyLock;

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    isr_ops::rules_from_environment().unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2);
    })
});

fuzz_target!(
    init: {
        LazyLock::force(&RULES);
        highwater_fuzz::plant("corpus/isr_ops", None);
    },
    |bytes: &[u8]| -> libfuzzer_sys::Corpus {
        let artifact = || highwater_fuzz::artifact(bytes);
        highwater_fuzz::conclude(isr_ops::fuzz(bytes, *RULES, artifact))
    }
);

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    highwater_fuzz::mutate(data, size, max_size, seed, *RULES)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    highwater_fuzz::cross(one, other, out, seed, *RULES)
});
