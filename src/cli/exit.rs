//! Exit codes, and what cannot go on.

use std::fmt;
use std::process::ExitCode;

/// How a command ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Clean, or as expected.
    Clean,
    /// A violation was found, or something is not as expected.
    Violated,
    /// Usage or bad input.
    BadInput,
    /// A budget was used up before enough was covered.
    NotCovered,
    /// Two runs of the same thing differed.
    Nondeterministic,
    /// The user stopped it before it was done, and nothing was found until then.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Clean => 0,
            Exit::Violated => 1,
            Exit::BadInput => 2,
            Exit::NotCovered => 3,
            Exit::Nondeterministic => 4,
            // As shells report a command that SIGINT ended.
            Exit::Interrupted => 130,
        }
        .into()
    }
}

/// Why a command cannot go on: one message that names file, place and reason.
#[derive(Clone, Debug)]
pub struct Failed(pub String);

impl<E: fmt::Display> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
