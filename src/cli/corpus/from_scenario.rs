//! `highwater corpus from-scenario`: scenarios as inputs of a fuzzer.

use super::inputs;
use crate::cli::options::require_writable;
use crate::cli::output::print;
use crate::cli::{Exit, Failed};
use crate::scenario::Scenario;
use crate::scenario::fuzz_input::FuzzInput;
use clap::Args;
use std::path::PathBuf;

/// Write scenario files as inputs of the fuzz target `isr_ops`
#[derive(Args, Debug)]
#[command(after_help = "\
An input keeps the rules, the configuration and the operations. It does not keep names (nodes, keys
and values are numbered), what the scenario expects, and where it was found. A scenario with larger
numbers, more keys or more operations than an input can say is refused; then nothing is written.

Example:
  highwater corpus from-scenario findings/*.json --out fuzz/corpus/isr_ops")]
pub(super) struct FromScenario {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where the inputs are written, each under a digest of its bytes
    #[arg(long, default_value = "corpus/isr_ops", value_name = "DIR")]
    out: PathBuf,
}

impl FromScenario {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let read = |file: &PathBuf| {
            let Scenario { settings, operations, .. } = Scenario::read(file)?;
            let input = FuzzInput { settings, operations };
            let refused = |error| Failed(format!("{}: {error}", file.display()));
            input.encode().map(|_| input).map_err(refused)
        };
        let converted = self.files.iter().map(read).collect::<Result<Vec<_>, Failed>>()?;
        require_writable(&self.out)?;
        for (file, input) in self.files.iter().zip(&converted) {
            let written = inputs::save(input, &self.out)?;
            print(&format!("{} -> {}\n", file.display(), written.display()))?;
        }
        Ok(Exit::Clean)
    }
}
