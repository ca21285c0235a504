//! `highwater corpus`: looks after the inputs of the fuzz target `isr_ops`.

mod from_scenario;
mod generate;
mod inputs;
mod minimize;
mod to_scenario;

use crate::cli::{Exit, Failed};
use clap::{Args, Subcommand};

/// Convert, generate and minimize inputs of the fuzz target `isr_ops`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  highwater corpus to-scenario fuzz/artifacts/isr_ops/crash-* --shrink
  highwater corpus from-scenario findings/*.json --out fuzz/corpus/isr_ops
  highwater corpus minimize fuzz/corpus/isr_ops")]
pub(super) struct Corpus {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    ToScenario(to_scenario::ToScenario),
    FromScenario(from_scenario::FromScenario),
    Minimize(minimize::Minimize),
    Generate(generate::Generate),
}

impl Corpus {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        match &self.command {
            Command::ToScenario(command) => command.run(),
            Command::FromScenario(command) => command.run(),
            Command::Minimize(command) => command.run(),
            Command::Generate(command) => command.run(),
        }
    }
}
