//! What the fuzz targets share: what libFuzzer was told on its command line, and the mutators.
//! What a target does with its bytes is in the library, `highwater::fuzz`.

mod arguments;
mod mutators;

pub use arguments::{artifact, plant};
pub use mutators::{cross, mutate};

use highwater::fuzz::{Bug, Fuzzed};
use libfuzzer_sys::Corpus;

/// Panics on a bug, as libFuzzer expects it.
///
/// # Panics
/// On a bug.
pub fn conclude(result: Result<Fuzzed, Bug>) -> Corpus {
    match result {
        Ok(Fuzzed::Ran) => Corpus::Keep,
        Ok(Fuzzed::NotAnInput) => Corpus::Reject,
        Err(bug) => panic!("{bug}"),
    }
}
