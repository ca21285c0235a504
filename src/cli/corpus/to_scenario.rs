//! `highwater corpus to-scenario`: inputs of a fuzzer as scenarios that a person can read.

use super::inputs;
use crate::cli::options::{parse_guard, parse_variant, require_writable, rules_of};
use crate::cli::output::{print, width};
use crate::cli::{Exit, Failed};
use crate::files::save_beside;
use crate::fuzz::isr_ops;
use crate::isr::{Guard, Variant};
use crate::picture::Picture;
use crate::report::Finding;
use crate::scenario::fuzz_input::FuzzInput;
use clap::Args;
use std::path::{Path, PathBuf};

/// Write inputs of the fuzz target `isr_ops` as scenario files
#[derive(Args, Debug)]
#[command(after_help = "\
A scenario expects what a run of the input gives: clean, or the violation that shows first.

Examples:
  highwater corpus to-scenario fuzz/artifacts/isr_ops/crash-* --shrink
  highwater corpus to-scenario corpus/isr_ops/* --out scenarios")]
pub(super) struct ToScenario {
    /// Inputs, such as what libFuzzer keeps when it finds something
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Run under these rules [default: those that the input names]
    #[arg(long, value_parser = parse_variant)]
    variant: Option<Variant>,

    /// Switch off these guards of --variant; see `highwater list guards`
    #[arg(long, value_name = "GUARD[,GUARD...]", value_delimiter = ',', value_parser = parse_guard, requires = "variant")]
    without: Vec<Guard>,

    /// Shrink those that violate something, and show what is left
    #[arg(long)]
    shrink: bool,

    /// Where the scenarios are written
    #[arg(long, default_value = "findings", value_name = "DIR")]
    out: PathBuf,
}

impl ToScenario {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let rules = self.variant.map(|variant| rules_of(variant, &self.without)).transpose()?;
        let read = |file: &PathBuf| {
            let mut input = inputs::read(file)?;
            input.settings.rules = rules.unwrap_or(input.settings.rules);
            Ok(input)
        };
        let inputs = self.files.iter().map(read).collect::<Result<Vec<_>, Failed>>()?;
        require_writable(&self.out)?;
        for (file, input) in self.files.iter().zip(&inputs) {
            print(&self.convert(file, input)?)?;
        }
        Ok(Exit::Clean)
    }

    /// Writes one scenario, and says what became of it.
    fn convert(&self, file: &Path, input: &FuzzInput) -> Result<String, Failed> {
        let cannot_write =
            |error| Failed(format!("{}: cannot be written: {error}", self.out.display()));
        if self.shrink
            && let Some(finding) = shrunk(input)
        {
            let written = finding.save(&self.out).map_err(cannot_write)?;
            let replay = Picture::of_scenario(&finding.scenario).coloured_text(width());
            let (before, after) = (input.operations.len(), finding.scenario.operations.len());
            return Ok(format!(
                "{}\n{replay}\n{before} operations shrunk to {after}\n  highwater replay {}\n",
                file.display(),
                written.display()
            ));
        }
        let scenario = isr_ops::scenario(input);
        let stem = file.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        let content = scenario.to_json();
        let written = save_beside(&self.out, &stem, ".json", content.as_bytes());
        let written = written.map_err(cannot_write)?;
        let clean = if self.shrink { " (violates nothing, so nothing to shrink)" } else { "" };
        Ok(format!("{} -> {}{clean}\n", file.display(), written.display()))
    }
}

/// What is left of an input that violates something.
fn shrunk(input: &FuzzInput) -> Option<Finding> {
    let verdict = isr_ops::verdict_of(input);
    Finding::shrunk(&input.settings, &input.operations, verdict.failures.first()?)
}
