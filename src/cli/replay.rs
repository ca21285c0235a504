//! `highwater replay`: a scenario, step by step.

use crate::cli::options::InvariantOptions;
use crate::cli::output::print;
use crate::cli::{Exit, Failed};
use crate::report;
use crate::scenario::Scenario;
use clap::Args;
use std::path::PathBuf;

/// Run scenario files and show what each operation did
#[derive(Args, Debug)]
#[command(after_help = "\
A scenario says what it expects. Exit code 0 if that came true (for a file that expects nothing:
if the run went to its end and no checked invariant is violated), 1 if not, 2 if a file is no
scenario.

Examples:
  highwater replay findings/*.json
  highwater replay FILE --trace
  highwater replay FILE --invariant acked-durability,epoch-order")]
pub(super) struct Replay {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print every event too
    #[arg(long)]
    trace: bool,

    #[command(flatten)]
    invariants: InvariantOptions,

    /// Print JSON, one object and one line a file
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let selection = self.invariants.selection()?;
        let read = |file: &PathBuf| Scenario::read(file);
        let scenarios = self.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut exit = Exit::Clean;
        for (file, scenario) in self.files.iter().zip(&scenarios) {
            let replay = report::Replay::of(scenario, selection);
            if self.json {
                let mut json = replay.json();
                json["file"] = file.display().to_string().into();
                if self.trace {
                    json["trace"] = replay.trace_json();
                }
                print(&format!("{json}\n"))?;
            } else {
                let trace = if self.trace { replay.trace_text() } else { String::new() };
                print(&format!("{}\n{trace}{}", file.display(), replay.text()))?;
            }
            if !replay.meets_expectation().unwrap_or(replay.verdict.is_clean()) {
                exit = Exit::Violated;
            }
        }
        Ok(exit)
    }
}
