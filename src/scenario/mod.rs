//! Scenarios: a configuration, a sequence of operations, and what is expected of them.
//!
//! A scenario is what a counterexample is handed out as: a small file that a person can read, not a
//! seed. [`Scenario::parse`] and [`Scenario::to_json`] are the file format `isr-scenario/1`;
//! [`AnyScenario`] reads the formats of other models too; [`generate`] draws sequences at random; [`fuzz_input`] is what a fuzzer mutates.

mod any;
mod bytes;
mod dice;
mod error;
mod file;
pub mod fuzz_input;
pub mod generate;
mod names;
mod operation_json;
mod shape;
mod write;

pub use any::AnyScenario;
pub use bytes::Bytes;
pub use dice::Dice;
pub use error::{Place, ScenarioError};
pub(crate) use file::{OPERATIONS_MAX, check_format, parse_json, text_of};
pub use names::ScenarioNames;
pub use operation_json::operation_json;
pub(crate) use shape::{RawConfiguration, RawExpectation, RawFound, RawOperation};
pub(crate) use write::Fields;
pub use write::ScenarioFile;

use crate::isr::{GroupConfiguration, Operation, Settings};
use crate::run::{Failure, Phase, Verdict};
use highwater_invariants::InvariantId;

/// The format that this build reads and writes.
pub const FORMAT: &str = "isr-scenario/1";

/// The largest timeout, delay or retention in a file: a scenario must end within seconds.
pub(crate) const NUMBER_MAX: u64 = 100_000;

/// A configuration, operations, and what is expected of them.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// A name for people; empty if it has none.
    pub name: String,
    /// The partition's configuration, checked.
    pub configuration: GroupConfiguration,
    /// The same with ids for names, and the rules that the partition follows.
    pub settings: Settings,
    /// What is done, in order.
    pub operations: Vec<Operation>,
    /// What the ids in `operations` stand for.
    pub names: ScenarioNames,
    /// What is expected; `None` if the file does not say.
    pub expectation: Option<Expectation>,
    /// Where it comes from, if a search found it.
    pub found: Option<Found>,
}

/// What a run of a scenario must give.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expectation {
    /// No invariant is violated.
    Clean,
    /// This invariant is violated, first at this operation.
    Violated {
        /// Which.
        invariant: InvariantId,
        /// The number of the violating operation, from 1; in a later phase the number of all
        /// operations.
        operation: usize,
        /// In which phase.
        phase: Phase,
    },
}

/// The sequence of a search in which something was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Found {
    /// The search's seed.
    pub seed: u64,
    /// The number of the sequence, from 0.
    pub sequence: u64,
}

impl Expectation {
    /// What to expect of a scenario that failed like this.
    pub fn of(failure: &Failure) -> Self {
        Self::Violated {
            invariant: failure.invariant(),
            operation: failure.operation,
            phase: failure.phase,
        }
    }

    /// In words.
    pub fn in_words(self) -> String {
        match self {
            Self::Clean => "no invariant is violated".into(),
            Self::Violated { invariant, operation, phase } => {
                format!("{} is violated {}", invariant.name(), place_in_words(operation, phase))
            }
        }
    }

    /// Whether a run that ended like this is what was expected. Where a violation is expected, other
    /// invariants may be violated too.
    pub fn is_met_by(self, verdict: &Verdict) -> bool {
        match self {
            Self::Clean => verdict.is_clean(),
            Self::Violated { invariant, .. } => {
                verdict.failure_of(invariant).is_some_and(|failure| Self::of(failure) == self)
            }
        }
    }
}

/// A phase's name in files.
pub(crate) const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Operations => "operations",
        Phase::Quiescence => "quiescence",
        Phase::Recovery => "recovery",
    }
}

/// Where a violation shows, in words.
pub(crate) fn place_in_words(operation: usize, phase: Phase) -> String {
    match phase {
        Phase::Operations => format!("at operation {operation}"),
        Phase::Quiescence => format!("after all {operation} operations, left to itself"),
        Phase::Recovery => format!("after all {operation} operations, once faults had stopped"),
    }
}
