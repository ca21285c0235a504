//! `highwater report merge`: shards of one search, added up.

use crate::cli::output::{error, print, print_json};
use crate::cli::{Exit, Failed};
use crate::report::{SearchResult, merge};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Add up the JSON of several shards of one search, as if one machine had run them
#[derive(Args, Debug)]
#[command(after_help = "\
The shards must have the same seed and options, different sequences, and no gap between them. Exit
code 1 if they found something, 2 if they do not fit together, 3 if some are missing and the others
found nothing, 130 if one was interrupted and nothing was found.

The files that a finding names are where the shard ran; its scenario is in the JSON too.

Example:
  highwater search --keep-going --sequences 1000000 --shard 1/2 --json > a.json
  highwater search --keep-going --sequences 1000000 --shard 2/2 --json > b.json
  highwater report merge a.json b.json")]
pub(super) struct Merge {
    /// Files that `search --json` printed
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Merge {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let shards = self.files.iter().map(|file| super::read::<SearchResult>(file));
        let shards = shards.collect::<Result<Vec<_>, _>>()?;
        let whole = merge(shards).map_err(Failed)?;
        if self.json {
            print_json(&json!(whole))?;
        } else {
            print(&whole.text())?;
        }
        let missing = whole.missing();
        if let Some(missing) = &missing {
            error(&format!("incomplete: {missing}"));
        }
        Ok(match whole.verdict.as_str() {
            "nondeterministic" => Exit::Nondeterministic,
            _ if !whole.findings.is_empty() => Exit::Violated,
            "interrupted" => Exit::Interrupted,
            _ if missing.is_some() => Exit::NotCovered,
            _ => Exit::Clean,
        })
    }
}
