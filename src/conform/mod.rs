//! Golden runs of the reference simulator, held against the `published` variant: every outcome,
//! every state, every trace event.
//!
//! The files are JSON lines, plain or gzip; `corpus/reference/README.md` describes a line.

mod compare;
mod golden;
mod replay;

pub use compare::Difference;
pub use golden::{Golden, GoldenFile};

use crate::scenario::ScenarioError;
use rayon::prelude::*;
use std::path::PathBuf;

/// What holding golden runs against the model gave.
#[derive(Debug, Default)]
pub struct Conformance {
    /// Runs that agree in everything.
    pub passed: u64,
    /// Runs that differ somewhere.
    pub failed: u64,
    /// The first difference, in the order of files and lines.
    pub first_difference: Option<FailedRun>,
}

/// A golden run that differs.
#[derive(Clone, Debug)]
pub struct FailedRun {
    /// Its file.
    pub file: PathBuf,
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Where it first differs.
    pub difference: Difference,
}

/// Runs every line of every file.
///
/// # Errors
/// A file that cannot be read or is not made of golden runs.
pub fn conform(files: &[PathBuf], on_run: impl Fn() + Sync) -> Result<Conformance, ScenarioError> {
    let mut conformance = Conformance::default();
    for file in files {
        let lines = GoldenFile::read(file)?;
        let results: Vec<_> = lines
            .lines()
            .par_bridge()
            .map(|(number, line)| {
                let golden = Golden::parse(file, number, line)?;
                let difference = replay::replay(&golden)
                    .map_err(|(place, reason)| golden.error(file, number, place, &reason))?;
                on_run();
                Ok((number, golden.name, difference))
            })
            .collect();
        let mut runs = results.into_iter().collect::<Result<Vec<_>, ScenarioError>>()?;
        runs.sort_by_key(|&(number, ..)| number);
        for (line, name, difference) in runs {
            match difference {
                None => conformance.passed += 1,
                Some(difference) => {
                    conformance.failed += 1;
                    let file = file.clone();
                    let failed = FailedRun { file, line, name, difference };
                    conformance.first_difference.get_or_insert(failed);
                }
            }
        }
    }
    Ok(conformance)
}
