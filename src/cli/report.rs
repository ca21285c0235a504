//! `highwater report`: results of earlier runs, put together.

use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed};
use crate::report::{SearchResult, merge};
use crate::scenario::ScenarioError;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Put results of earlier runs together
#[derive(Args, Debug)]
pub(super) struct Report {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Merge(Merge),
}

/// Add up the JSON of several shards of one search, as if one machine had run them
#[derive(Args, Debug)]
#[command(after_help = "\
The shards must have the same seed and options and different sequences. Exit code 1 if they found
something, 2 if they do not fit together.

Example:
  highwater search --keep-going --sequences 1000000 --shard 1/2 --json > a.json
  highwater search --keep-going --sequences 1000000 --shard 2/2 --json > b.json
  highwater report merge a.json b.json")]
struct Merge {
    /// Files that `search --json` printed
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Report {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let Command::Merge(merge) = &self.command;
        merge.run()
    }
}

impl Merge {
    fn run(&self) -> Result<Exit, Failed> {
        let shards = self.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
        let whole = merge(shards).map_err(Failed)?;
        if self.json {
            print_json(&json!(whole))?;
        } else {
            print(&whole.text())?;
        }
        Ok(if whole.findings.is_empty() { Exit::Clean } else { Exit::Violated })
    }
}

fn read(file: &Path) -> Result<SearchResult, ScenarioError> {
    let bytes = std::fs::read(file).map_err(|error| ScenarioError::unreadable(file, &error))?;
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    serde_path_to_error::deserialize(&mut json).map_err(|error| ScenarioError::json(file, error))
}
