//! Any bytes as a scenario file: never a panic, always an error with a place.

#![no_main]

use highwater::fuzz::scenario_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: highwater_fuzz::plant("corpus/regressions", Some("json")),
    |bytes: &[u8]| -> libfuzzer_sys::Corpus {
        highwater_fuzz::conclude(scenario_file::fuzz(bytes))
    }
);
