//! A finished run for people and for programs: words, tables, JSON.

mod finding;
mod replay;
mod search;
mod words;

pub use finding::{Finding, save};
pub use replay::{Replay, Step};
pub use search::{SearchReport, coverage_json};
pub use words::{operation_in_words, outcome_in_words};
