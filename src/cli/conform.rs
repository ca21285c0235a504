//! `highwater conform`: golden runs of the reference simulator, held against `published`.

use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed};
use crate::conform::{Conformance, FailedRun, conform};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Compare golden runs with the published variant: every outcome, state and trace event
#[derive(Args, Debug)]
#[command(after_help = "\
Exit code 0 if all runs pass, 1 if one fails, 2 if a file is not made of golden runs.

Examples:
  highwater conform corpus/reference/minidist-isr.jsonl.gz
  highwater conform runs/*.jsonl --json")]
pub(super) struct Conform {
    /// Files of golden runs, one JSON object a line, plain or gzip
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print JSON: `{passed, failed, first_difference}`
    #[arg(long)]
    json: bool,
}

impl Conform {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let progress = ProgressBar::new_spinner();
        progress.set_message("golden runs compared");
        let result = conform(&self.files, || progress.inc(1));
        progress.finish_and_clear();
        let conformance = result?;
        if self.json {
            print_json(&to_json(&conformance))?;
        } else {
            print(&to_text(&conformance))?;
        }
        Ok(if conformance.failed == 0 { Exit::Clean } else { Exit::Violated })
    }
}

fn to_text(conformance: &Conformance) -> String {
    let Conformance { passed, failed, first_difference } = conformance;
    let mut text = String::new();
    if let Some(FailedRun { file, line, name, difference }) = first_difference {
        let file = file.display();
        text.push_str(&format!(
            "first difference: {file}, line {line}, run {name}: {difference}\n"
        ));
    }
    text + &format!("{passed} passed, {failed} failed\n")
}

fn to_json(conformance: &Conformance) -> Value {
    json!({
        "passed": conformance.passed,
        "failed": conformance.failed,
        "first_difference": conformance.first_difference.as_ref().map(|run| json!({
            "file": run.file.display().to_string(),
            "line": run.line,
            "name": run.name,
            "operation": run.difference.operation,
            "field": run.difference.field,
            "expected": run.difference.expected,
            "got": run.difference.got,
        })),
    })
}
