//! A finished run for people and for programs: words, tables, JSON.

mod coverage;
mod explore;
mod finding;
mod kip;
mod merge;
mod nightly;
mod replay;
mod search;
mod words;

pub use coverage::{coverage_json, coverage_text, not_covered};
pub use explore::{ExploreReport, Subject, Told, isr_findings, isr_subject};
pub(crate) use finding::scenario_of;
pub use finding::{Finding, Reported};
pub use kip::step_subject;
pub use merge::merge;
pub use nightly::{Ending, NIGHTLY_FORMAT, NightlyFinding, NightlyResult, Stage};
pub use replay::{Replay, Step};
pub use search::{CandidateResult, FindingResult, GroupResult, SEARCH_FORMAT, SearchResult};
pub use words::{operation_in_words, outcome_in_words};
