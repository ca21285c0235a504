//! `highwater report nightly`: the shards of one nightly run, put together.

use crate::cli::nightly::exit_of;
use crate::cli::output::{error, print, print_json};
use crate::cli::{Exit, Failed};
use crate::nightly::open_issues;
use crate::report::{NIGHTLY_FORMAT, NightlyResult};
use crate::scenario::ScenarioError;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Put the shards of one nightly run together, and open an issue for each new signature
#[derive(Args, Debug)]
#[command(after_help = "\
Prints the summary of all shards. Exit codes are those of `highwater nightly`, except that findings
for which issues were opened, or were open already, are exit code 1 too.

--open-issues runs `gh`, which must be logged in: a finding whose signature no open issue of the label
highwater-nightly names in its title becomes one.

Example:
  highwater report nightly out-*/summary.json --open-issues")]
pub(super) struct Nightly {
    /// Files summary.json of `highwater nightly`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Open an issue on GitHub for each finding that none is open for
    #[arg(long)]
    open_issues: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Nightly {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let results = self.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
        let whole = NightlyResult::merge(results).map_err(Failed)?;
        if self.json {
            print_json(&json!(whole))?;
        } else {
            print(&whole.markdown())?;
        }
        if self.open_issues {
            for signature in open_issues(&whole).map_err(Failed)? {
                error(&format!("opened an issue: {signature}"));
            }
        }
        Ok(exit_of(&whole))
    }
}

fn read(file: &Path) -> Result<NightlyResult, ScenarioError> {
    let result: NightlyResult = super::read(file)?;
    let refused = |place: &str, reason: String| {
        Err(ScenarioError::new(file, crate::scenario::Place::at(place), reason))
    };
    if result.format != NIGHTLY_FORMAT {
        let format = &result.format;
        return refused("format", format!("unknown format {format:?}; known is {NIGHTLY_FORMAT}"));
    }
    if let Some((place, reason)) = result.nonsense() {
        return refused(place, reason.into());
    }
    Ok(result)
}
