//! Bad scenario files: which file, where in it, and why.

use crate::scenario::bytes::printable;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {place}{reason}", printable(&.file.to_string_lossy()))]
pub struct ScenarioError {
    /// The file.
    pub file: PathBuf,
    /// Where in it.
    pub place: Place,
    /// Why it is refused.
    pub reason: String,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Line and column, from 1; zeros if not known.
    pub line_and_column: (usize, usize),
    /// The JSON path, as in `ops[2].node`; empty if not known.
    pub path: String,
}

impl Place {
    /// A place given by its JSON path.
    pub fn at(path: impl Into<String>) -> Self {
        Self { line_and_column: (0, 0), path: path.into() }
    }

    /// The place of byte `index` of `bytes`.
    pub fn of_byte(bytes: &[u8], index: usize) -> Self {
        let before = &bytes[..index.min(bytes.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
        Self { line_and_column: (line, column), path: String::new() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line_and_column, self.path.as_str()) {
            ((0, _), "") => Ok(()),
            ((0, _), path) => write!(f, "at {path}: "),
            ((line, column), "") => write!(f, "line {line}, column {column}: "),
            ((line, column), path) => write!(f, "line {line}, column {column}, at {path}: "),
        }
    }
}

impl ScenarioError {
    /// An error in `file`.
    pub fn new(file: &Path, place: Place, reason: impl Into<String>) -> Self {
        Self { file: file.to_owned(), place, reason: reason.into() }
    }

    /// `file` cannot be read at all.
    pub fn unreadable(file: &Path, error: &std::io::Error) -> Self {
        Self::new(file, Place::default(), format!("cannot be read: {error}"))
    }

    /// What the JSON parser said, with its place.
    pub(crate) fn json(file: &Path, error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        let path = error.path().to_string();
        let inner = error.into_inner();
        let place = Place {
            line_and_column: (inner.line(), inner.column()),
            path: if path == "." { String::new() } else { path },
        };
        let text = inner.to_string();
        // The parser repeats the place at the end of its message.
        let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
        // It may quote the file.
        Self::new(file, place, printable(reason))
    }
}
