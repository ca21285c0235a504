//! `highwater replay`: a scenario, step by step.

use crate::cli::options::InvariantOptions;
use crate::cli::output::{print, width};
use crate::cli::{Exit, Failed};
use crate::picture::Picture;
use crate::report;
use crate::scenario::AnyScenario;
use clap::Args;
use highwater_invariants::Selection;
use std::path::{Path, PathBuf};

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

    /// Print JSON, one object and one line a file; its schema is in src/picture/replay.schema.json
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let read = |file: &PathBuf| AnyScenario::read(file);
        let scenarios = self.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut exit = Exit::Clean;
        for (file, scenario) in self.files.iter().zip(&scenarios) {
            let selection = self.selection(scenario)?;
            let picture =
                Picture { file: file.display().to_string(), ..scenario.picture(selection) };
            self.show(file, scenario, selection, &picture)?;
            if !picture.expectation_met.unwrap_or(picture.verdict == "clean") {
                exit = Exit::Violated;
            }
        }
        Ok(exit)
    }

    fn selection(&self, scenario: &AnyScenario) -> Result<Selection, Failed> {
        self.invariants.selection_of(scenario.applicable(), scenario.model())
    }

    fn show(
        &self,
        file: &Path,
        scenario: &AnyScenario,
        selection: Selection,
        picture: &Picture,
    ) -> Result<(), Failed> {
        // The steps of the other models are all that happens in them.
        let traced = match scenario {
            AnyScenario::Isr(scenario) if self.trace => {
                Some(report::Replay::of(scenario, selection))
            }
            _ => None,
        };
        if self.json {
            let mut json = serde_json::to_value(picture)?;
            if let Some(traced) = traced {
                json["trace"] = traced.trace_json();
            }
            return print(&format!("{json}\n"));
        }
        let trace = traced.map(|traced| traced.trace_text()).unwrap_or_default();
        print(&format!("{}\n{trace}{}", file.display(), picture.text(width())))
    }
}
