//! `highwater report`: results of earlier runs, put together.

mod merge;
mod nightly;

use crate::cli::{Exit, Failed};
use crate::scenario::ScenarioError;
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Put results of earlier runs together
#[derive(Args, Debug)]
pub(super) struct Report {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Merge(merge::Merge),
    Nightly(nightly::Nightly),
}

impl Report {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        match &self.command {
            Command::Merge(command) => command.run(),
            Command::Nightly(command) => command.run(),
        }
    }
}

/// Reads a result that an earlier run has left as JSON.
fn read<T: DeserializeOwned>(file: &Path) -> Result<T, ScenarioError> {
    let bytes = std::fs::read(file).map_err(|error| ScenarioError::unreadable(file, &error))?;
    let mut json = serde_json::Deserializer::from_str(crate::scenario::text_of(file, &bytes)?);
    serde_path_to_error::deserialize(&mut json).map_err(|error| ScenarioError::json(file, error))
}
