//! `highwater replay`: a scenario, step by step.

use crate::cli::options::InvariantOptions;
use crate::cli::output::{print, print_json, width};
use crate::cli::pages::{free_name, say_page, write_page};
use crate::cli::{Exit, Failed};
use crate::picture::Picture;
use crate::report;
use crate::scenario::AnyScenario;
use clap::Args;
use highwater_invariants::Selection;
use std::collections::BTreeSet;
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
  highwater replay FILE --html page.html
  highwater replay FILE --mermaid > diagram.mmd
  highwater replay FILE --invariant acked-durability,epoch-order")]
pub(super) struct Replay {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print every event too
    #[arg(long)]
    trace: bool,

    /// Write a page that shows it step by step to this file; with several FILEs, one page for each into
    /// this folder
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,

    /// Print a Mermaid sequence diagram, for READMEs and issues
    #[arg(long, conflicts_with_all = ["itf", "rust_test", "json", "trace"])]
    mermaid: bool,

    /// Print JSON in the Informal Trace Format, for tools of TLA+ and Quint
    #[arg(long, conflicts_with_all = ["rust_test", "json", "trace"])]
    itf: bool,

    /// Print a Rust test that fails until it is mended
    #[arg(long, conflicts_with_all = ["json", "trace"])]
    rust_test: bool,

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
        let is_one_only = self.mermaid || self.itf || self.rust_test;
        if is_one_only && self.files.len() > 1 {
            return Err(Failed("--mermaid, --itf and --rust-test take one FILE".into()));
        }
        let mut exit = Exit::Clean;
        let mut names = BTreeSet::new();
        for (file, scenario) in self.files.iter().zip(&scenarios) {
            let selection = self.selection(scenario)?;
            let picture =
                Picture { file: file.display().to_string(), ..scenario.picture(selection) };
            self.show(file, scenario, selection, &picture)?;
            if let Some(out) = &self.html {
                self.write_page(out, free_name(&mut names, file), &picture)?;
            }
            if !picture.expectation_met.unwrap_or(picture.verdict == "clean") {
                exit = Exit::Violated;
            }
        }
        Ok(exit)
    }

    fn selection(&self, scenario: &AnyScenario) -> Result<Selection, Failed> {
        self.invariants.selection_of(scenario.applicable(), scenario.model())
    }

    fn write_page(&self, out: &Path, name: String, picture: &Picture) -> Result<(), Failed> {
        let page = if self.files.len() == 1 { out.to_owned() } else { out.join(name) };
        write_page(&page, &picture.html())?;
        let prints_data = self.json || self.mermaid || self.itf || self.rust_test;
        if prints_data { Ok(()) } else { say_page(&page) }
    }

    fn show(
        &self,
        file: &Path,
        scenario: &AnyScenario,
        selection: Selection,
        picture: &Picture,
    ) -> Result<(), Failed> {
        if self.mermaid {
            return print(&picture.mermaid());
        }
        if self.itf {
            return print_json(&picture.itf());
        }
        if self.rust_test {
            return print(&picture.rust_test());
        }
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
        print(&format!("{}\n{trace}{}", file.display(), picture.coloured_text(width())))
    }
}
