//! `highwater corpus minimize`: few and short inputs that cover the same.

use super::inputs;
use crate::cli::options::{require_writable, thread_pool};
use crate::cli::output::print;
use crate::cli::{Exit, Failed};
use crate::fuzz::{Coverage, features_of, minimize};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Keep few and short inputs that together cover what all of a folder do
#[derive(Args, Debug)]
#[command(after_help = "\
What an input covers is measured by Highwater itself: answers of operations in pairs, branches of the
protocol, premises of invariants. (`cargo fuzz cmin` does the same for edges of the code.) What is no
input of this version, or violates something, is left where it is, and named; exit code 1 if one
violates something. Without --out the folder itself is changed: the new inputs are written before the
old ones go.

Examples:
  highwater corpus minimize fuzz/corpus/isr_ops
  highwater corpus minimize fuzz/corpus/isr_ops --out corpus/isr_ops")]
pub(super) struct Minimize {
    /// The folder with the inputs
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Write the result here and leave DIR as it is
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Minimize {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let files = inputs::files(&self.folder)?;
        let out = self.out.as_ref().unwrap_or(&self.folder);
        require_writable(out)?;
        let (mut old, mut taken, mut left_alone) = (Vec::new(), Vec::new(), Vec::new());
        let mut exit = Exit::Clean;
        for file in files {
            match inputs::read(&file) {
                Err(error) => left_alone.push(error.0),
                Ok(input) if !Coverage::of(&input).is_clean => {
                    exit = Exit::Violated;
                    left_alone.push(format!(
                        "{}: violates something; see highwater corpus to-scenario --shrink",
                        file.display()
                    ));
                }
                Ok(input) => {
                    taken.push(input);
                    old.push(file);
                }
            }
        }
        if taken.is_empty() {
            let reasons = left_alone.iter().map(|reason| format!("\n  {reason}"));
            let reasons: String = reasons.collect();
            return Err(Failed(format!("{}: no clean inputs{reasons}", self.folder.display())));
        }
        let minimized = thread_pool(None)?.install(|| minimize(&taken));
        let mut kept = BTreeSet::new();
        for input in &minimized {
            kept.insert(inputs::save(input, out)?);
        }
        if self.out.is_none() {
            for file in old.iter().filter(|file| !kept.contains(*file)) {
                std::fs::remove_file(file).map_err(|error| {
                    Failed(format!("{}: cannot be removed: {error}", file.display()))
                })?;
            }
        }
        let operations = |inputs: &[crate::scenario::fuzz_input::FuzzInput]| {
            inputs.iter().map(|input| input.operations.len()).sum::<usize>()
        };
        let mut text = format!(
            "{} inputs with {} operations -> {} inputs with {} operations, which cover the same: {} features\n",
            taken.len(),
            operations(&taken),
            minimized.len(),
            operations(&minimized),
            features_of(&minimized).len()
        );
        for reason in &left_alone {
            text.push_str(&format!("left alone: {reason}\n"));
        }
        print(&text)?;
        Ok(exit)
    }
}
