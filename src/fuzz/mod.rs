//! Coverage-guided fuzzing: what the targets of `fuzz/` do with their bytes, and what a corpus
//! covers.
//!
//! The targets themselves are a few lines each. What they do is here, so that tests on stable Rust
//! replay a corpus through the very same functions.

pub mod differential;
pub mod isr_ops;
pub mod scenario_file;

mod coverage;
mod minimize;

pub use coverage::{Coverage, Feature, features_of};
pub use minimize::minimize;

/// What a target made of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fuzzed {
    /// They were run.
    Ran,
    /// They are no input for this target, so a corpus should not keep them.
    NotAnInput,
}

/// A bug, in words: what a target panics with.
pub type Bug = String;
