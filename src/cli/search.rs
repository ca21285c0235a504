//! `highwater search`: many generated sequences in parallel, what they violate shrunk.

mod driven;
mod progress;

use crate::cli::certify::CertifyOptions;
use crate::cli::model::{KipOptions, ModelName};
use crate::cli::options::{InvariantOptions, ModelOptions};
use crate::cli::{Exit, Failed, parse};
use crate::isr::IsrModel;
use crate::kip::{AsyncIsrModel, KipModel, Stepwise};
use crate::model::Model;
use crate::scenario::generate::{Generator, Profile};
use crate::search::{Stop, Walk, next_stop};
use clap::Args;
use driven::Driven;
use highwater_invariants::Selection;
use serde_json::Value;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

/// Sequences of a search that is given no number and no time.
const DEFAULT_SEQUENCES: u64 = 1_000_000;

/// Search for violations with generated sequences of operations and faults
#[derive(Args, Debug)]
#[command(after_help = "\
Stops after the first round of sequences in which an invariant is violated, shrinks what showed it
soonest, writes it as a scenario file and shows it; with --keep-going it goes on to the end and
reports every kind of violation. The result depends on the seed only, not on threads or time (unless
--for or --shrink-for ends it). A search that finds nothing has exhausted nothing: it says how much
it ran, and an invariant whose premise never came up is NOT TESTED.

Exit code 0 if nothing was found, 1 if something was, 3 if --require-coverage is not met, 4 if
--check-determinism found a difference, 130 if Ctrl-C came before anything was found.

Examples:
  highwater search
  highwater search --keep-going --for 60s
  highwater search --certify
  highwater search --html pages
  highwater search --seed 7 --sequences 1000000 --threads 2 --invariant acked-durability
  highwater search --profile power-loss --weights fsync=9,read=0 --ops 5..100
  highwater search --keep-going --shard 1/8 --json > shard-1.json
  highwater search --model kip:101 --replicas 2 --max-leader-epoch 2")]
pub(super) struct Search {
    #[command(flatten)]
    model: ModelOptions,

    /// The seed of all sequences, or `random` for a fresh one, which is printed
    #[arg(long, default_value = "0", value_name = "S", value_parser = parse::seed, allow_negative_numbers = true)]
    seed: u64,

    /// How many sequences at most [default: 1000000, or no limit with --for]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    sequences: Option<u64>,

    /// How long at most, as in 90s, 10m, 2h
    #[arg(long = "for", value_name = "DURATION", value_parser = humantime::parse_duration)]
    duration: Option<Duration>,

    /// Go on after the first violation, and report every kind
    #[arg(long)]
    keep_going: bool,

    /// Go on until there are so many kinds of violations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_findings: Option<u32>,

    /// Shrink for so long at most, and report the best so far
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    shrink_for: Option<Duration>,

    #[command(flatten)]
    certify: CertifyOptions,

    /// How many threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Run only the i-th of n parts of the sequences, as in 2/8
    #[arg(long, value_name = "I/N", value_parser = parse::shard)]
    shard: Option<(u64, u64)>,

    /// How many operations a sequence has, both ends included
    #[arg(long = "ops", default_value = "5..40", value_name = "MIN..MAX", value_parser = parse::range)]
    operations: RangeInclusive<u32>,

    /// Which mix of operations [default: each sequence draws its own]; see `highwater list profiles`
    #[arg(long, value_parser = parse::profile)]
    profile: Option<Profile>,

    /// Weights that replace the profile's, as in crash=9,read=0; see `highwater list operations`
    #[arg(long, value_name = "OPERATION=N[,...]", value_delimiter = ',', value_parser = parse::weight)]
    weights: Vec<(String, u32)>,

    #[command(flatten)]
    invariants: InvariantOptions,

    /// Exit with 3 if some checked invariant is not tested
    #[arg(long)]
    require_coverage: bool,

    /// Run everything twice and compare state fingerprints after every operation
    #[arg(long)]
    check_determinism: bool,

    /// Where findings are written
    #[arg(long, default_value = "findings", value_name = "DIR")]
    out: PathBuf,

    /// Write a page for each finding into this folder
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    kip: KipOptions,
}

impl Search {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let ModelOptions { model, without, .. } = &self.model;
        model.require_own_options()?;
        if *model != ModelName::Isr && self.profile.is_some() {
            return Err(Failed("--profile: only the model isr has profiles".into()));
        }
        match *model {
            ModelName::Isr => self.search_isr(),
            ModelName::Kip(preset) => self.walk(KipModel, self.kip.settings(preset, without)?),
            ModelName::AsyncIsr => self.walk(AsyncIsrModel, self.kip.async_isr(without)?),
        }
    }

    fn search_isr(&self) -> Result<Exit, Failed> {
        let rules = self.model.rules()?;
        let source = Generator {
            profile: self.profile,
            overrides: self.weights_of::<IsrModel>()?,
            rules,
            operations: self.operations.clone(),
        };
        Driven {
            search: self,
            model: IsrModel::default(),
            source,
            name: IsrModel::NAME,
            rules: rules.to_string(),
            // It draws its own.
            configuration: Value::Null,
            applicable: Selection::ALL,
            selection: self.invariants.selection()?,
        }
        .run()
    }

    fn walk<M: Stepwise>(&self, model: M, settings: M::Settings) -> Result<Exit, Failed> {
        let mut source = Walk::new(model, settings, self.operations.clone());
        for (kind, weight) in self.weights_of::<M>()? {
            source.weights[kind] = weight;
        }
        let name = M::name_of(&settings);
        Driven {
            search: self,
            model,
            source,
            name,
            rules: M::rules_of(&settings),
            configuration: serde_json::to_value(M::configuration(&settings))?,
            applicable: M::APPLICABLE,
            selection: self.invariants.selection_of(M::APPLICABLE, name)?,
        }
        .run()
    }

    /// Weights by the number of an operation's kind.
    fn weights_of<M: Model>(&self) -> Result<Vec<(usize, u32)>, Failed> {
        let mut weights: Vec<(usize, u32)> = Vec::new();
        for (name, weight) in &self.weights {
            let kind = M::KINDS.iter().position(|known| known == name).ok_or_else(|| {
                let known = M::KINDS.join(", ");
                Failed(format!("--weights: unknown operation {name:?}; known are {known}"))
            })?;
            if weights.iter().any(|&(other, _)| other == kind) {
                return Err(Failed(format!("--weights: {name} is given twice")));
            }
            weights.push((kind, *weight));
        }
        if weights.len() == M::KINDS.len() && weights.iter().all(|&(_, weight)| weight == 0) {
            return Err(Failed("--weights: all weights are 0".into()));
        }
        Ok(weights)
    }

    fn range(&self) -> Result<Range<u64>, Failed> {
        let unlimited = if self.duration.is_some() { u64::MAX } else { DEFAULT_SEQUENCES };
        let sequences = self.sequences.unwrap_or(unlimited);
        let (shard, shards) = self.shard.unwrap_or((1, 1));
        let part = |number: u64| {
            let end = (u128::from(sequences) * u128::from(number) / u128::from(shards)) as u64;
            // A search that may stop early is cut where the whole search might stop.
            let is_inside = number < shards && self.stop() != Stop::AtEnd;
            if is_inside { next_stop(end).min(sequences) } else { end }
        };
        let range = part(shard - 1)..part(shard);
        if range.is_empty() {
            let which = match self.shard {
                None => String::new(),
                Some(_) => format!("shard {shard} of {shards} of "),
            };
            return Err(Failed(format!(
                "{which}{sequences} sequences: a search that runs nothing says nothing"
            )));
        }
        Ok(range)
    }

    fn keeps_going(&self) -> bool {
        self.keep_going || self.max_findings.is_some()
    }

    fn stop(&self) -> Stop {
        match self.max_findings {
            Some(kinds) => Stop::AtKinds(kinds as usize),
            None if self.keep_going => Stop::AtEnd,
            None => Stop::AtFirstViolation,
        }
    }
}
