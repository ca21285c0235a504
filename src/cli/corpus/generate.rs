//! `highwater corpus generate`: seeds from the generator of searches.

use super::inputs;
use crate::cli::options::{require_writable, thread_pool};
use crate::cli::output::print;
use crate::cli::{Exit, Failed, parse};
use crate::fuzz::{Coverage, Feature, features_of, minimize};
use crate::isr::{Rules, Variant};
use crate::scenario::fuzz_input::FuzzInput;
use crate::scenario::generate::Generator;
use clap::Args;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Sequences that are run in parallel before their coverage is looked at, in order.
const BATCH: u64 = 4096;

/// Generate inputs as a search would, and keep few that together cover what all of them do
#[derive(Args, Debug)]
#[command(after_help = "\
The inputs follow the variant hardened. The result depends on the seed and the number of sequences
alone.

Example:
  highwater corpus generate corpus/isr_ops --seed 1 --sequences 100000")]
pub(super) struct Generate {
    /// Where the inputs are written, each under a digest of its bytes
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The seed of all sequences, or `random`
    #[arg(long, default_value = "0", value_name = "S", value_parser = parse::seed)]
    seed: u64,

    /// How many sequences are run
    #[arg(long, default_value = "100000", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sequences: u64,
}

impl Generate {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        require_writable(&self.folder)?;
        let minimized = thread_pool(None)?.install(|| minimize(&self.interesting()));
        for input in &minimized {
            inputs::save(input, &self.folder)?;
        }
        let operations: usize = minimized.iter().map(|input| input.operations.len()).sum();
        print(&format!(
            "{} inputs with {operations} operations in {}, from {} sequences of seed {}: {} features\n",
            minimized.len(),
            self.folder.display(),
            self.sequences,
            self.seed,
            features_of(&minimized).len()
        ))?;
        Ok(Exit::Clean)
    }

    /// Sequences that cover something that none before them did.
    fn interesting(&self) -> Vec<FuzzInput> {
        let rules = Rules::of(Variant::Hardened);
        let source = Generator { rules, ..Generator::default() };
        let mut covered: BTreeSet<Feature> = BTreeSet::new();
        let mut interesting = Vec::new();
        for start in (0..self.sequences).step_by(BATCH as usize) {
            let end = self.sequences.min(start + BATCH);
            let batch: Vec<_> = (start..end)
                .into_par_iter()
                .map(|index| {
                    let mut operations = Vec::new();
                    let settings = source.draw(self.seed, index, &mut operations);
                    let input = FuzzInput { settings, operations };
                    (Coverage::of(&input), input)
                })
                .collect();
            for (coverage, input) in batch {
                if coverage.is_clean && !coverage.features.is_subset(&covered) {
                    covered.extend(coverage.features);
                    interesting.push(input);
                }
            }
        }
        interesting
    }
}
