//! The command line: one file per subcommand. It parses, calls, prints and sets exit codes, nothing
//! else.

mod ablate;
mod certify;
mod conform;
mod corpus;
mod exit;
mod explore;
mod given;
mod interrupt;
mod ladder;
mod list;
mod memory;
mod model;
mod nightly;
mod options;
mod output;
mod pages;
mod parse;
mod replay;
mod report;
mod search;
mod shrink;

pub use exit::{Exit, Failed};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// A property-based model checker and fuzzer for Kafka-style ISR replication.
#[derive(Parser, Debug)]
#[command(name = "highwater", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "\
Exit codes:
  0  clean, or as expected
  1  violation found, or not as expected
  2  usage or bad input
  3  budget reached before enough was covered (search --require-coverage, nightly, explore)
  4  nondeterminism found (search --check-determinism)
  130  stopped by Ctrl-C with nothing found

Examples:
  highwater search                      find a violation of the published protocol, shrunk
  highwater replay findings/*.json      look at it, step by step
  highwater explore --variant hardened  every state within bounds
  highwater conform corpus/reference/minidist-isr.jsonl.gz
  highwater ablate                      is every guard of the hardened protocol needed?
  highwater nightly --out out --for 1h  everything that looks for violations
  highwater list invariants")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Search(search::Search),
    Replay(replay::Replay),
    Shrink(shrink::Shrink),
    Conform(conform::Conform),
    Explore(explore::Explore),
    Ablate(ablate::Ablate),
    Corpus(corpus::Corpus),
    Nightly(nightly::Nightly),
    Ladder(ladder::Ladder),
    List(list::List),
    Report(report::Report),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    given::remember(&matches);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match cli.command {
        Command::Search(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::Shrink(command) => command.run(),
        Command::Conform(command) => command.run(),
        Command::Explore(command) => command.run(),
        Command::Ablate(command) => command.run(),
        Command::Corpus(command) => command.run(),
        Command::Nightly(command) => command.run(),
        Command::Ladder(command) => command.run(),
        Command::List(command) => command.run(),
        Command::Report(command) => command.run(),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(failed) => {
            output::error(&failed.0);
            Exit::BadInput.into()
        }
    }
}
