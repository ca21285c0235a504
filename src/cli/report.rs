//! `highwater report`: scenarios as pages, and results of earlier runs put together.

mod index;
mod merge;
mod nightly;

use crate::cli::{Exit, Failed};
use crate::scenario::ScenarioError;
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Make pages of scenarios, or put results of earlier runs together
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
With FILEs it writes a page for each scenario, and index.html, which groups them by invariant and by
what was seen. Nothing on a page needs a network.

Examples:
  highwater report corpus/regressions/*.json
  highwater report findings/*.json --out pages
  highwater report merge shard-1.json shard-2.json")]
pub(super) struct Report {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    index: index::IndexOptions,
}

#[derive(Subcommand, Debug)]
enum Command {
    Merge(merge::Merge),
    Nightly(nightly::Nightly),
}

impl Report {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        match &self.command {
            None => self.index.run(),
            Some(Command::Merge(command)) => command.run(),
            Some(Command::Nightly(command)) => command.run(),
        }
    }
}

/// Reads a result that an earlier run has left as JSON.
fn read<T: DeserializeOwned>(file: &Path) -> Result<T, ScenarioError> {
    let bytes = std::fs::read(file).map_err(|error| ScenarioError::unreadable(file, &error))?;
    let mut json = serde_json::Deserializer::from_str(crate::scenario::text_of(file, &bytes)?);
    serde_path_to_error::deserialize(&mut json).map_err(|error| ScenarioError::json(file, error))
}
