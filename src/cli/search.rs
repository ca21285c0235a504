//! `highwater search`: many generated sequences in parallel, what they violate shrunk.

use crate::cli::options::{InvariantOptions, ModelOptions, require_writable};
use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed, interrupt};
use crate::isr::IsrModel;
use crate::report::{self, Finding, SearchReport};
use crate::scenario::Found;
use crate::scenario::generate::{Generator, Profile};
use crate::search::shrink::{Shrinker, Target};
use crate::search::{Campaign, Ended, Hit, Results, Source, Stop};
use clap::Args;
use highwater_invariants::Selection;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Search for violations with generated sequences of operations and faults
#[derive(Args, Debug)]
#[command(after_help = "\
Stops at the first sequence that violates an invariant, shrinks it, writes it as a scenario file and
shows it. The result depends on the seed only, not on threads or time. A search that finds nothing
has not exhausted anything: it says how much it ran, and which invariants were tested how often.

Exit code 0 if nothing was found, 1 if something was.

Examples:
  highwater search
  highwater search --seed 7 --sequences 1000000 --threads 2
  highwater search --for 10m --invariant acked-durability
  highwater search --profile power-loss --ops 5..100")]
pub(super) struct Search {
    #[command(flatten)]
    model: ModelOptions,

    /// The seed of all sequences, or `random` for a fresh one, which is printed
    #[arg(long, default_value = "0", value_name = "S", value_parser = parse_seed, allow_negative_numbers = true)]
    seed: u64,

    /// How many sequences at most [default: 1000000, or no limit with --for]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    sequences: Option<u64>,

    /// How long at most, as in 90s, 10m, 2h
    #[arg(long = "for", value_name = "DURATION", value_parser = humantime::parse_duration)]
    duration: Option<Duration>,

    /// How many threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// How many operations a sequence has, both ends included
    #[arg(long = "ops", default_value = "5..40", value_name = "MIN..MAX", value_parser = parse_range)]
    operations: RangeInclusive<u32>,

    /// Which mix of operations [default: each sequence draws its own]; see `highwater list profiles`
    #[arg(long, value_parser = parse_profile)]
    profile: Option<Profile>,

    #[command(flatten)]
    invariants: InvariantOptions,

    /// Where findings are written
    #[arg(long, default_value = "findings", value_name = "DIR")]
    out: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let selection = self.invariants.selection()?;
        require_writable(&self.out)?;
        interrupt::listen()?;
        let sequences =
            self.sequences.unwrap_or(if self.duration.is_some() { u64::MAX } else { 1_000_000 });
        if sequences == 0 {
            return Err(Failed("--sequences 0: a search that runs nothing says nothing".into()));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .map_err(|error| Failed(format!("cannot start threads: {error}")))?;
        let model = IsrModel::default();
        let source = Generator {
            profile: self.profile,
            operations: self.operations.clone(),
            ..Generator::default()
        };
        let campaign = Campaign {
            model: &model,
            source: &source,
            seed: self.seed,
            range: 0..sequences,
            selection,
            stop: Stop::AtFirstViolation,
        };
        let started = Instant::now();
        let results = pool.install(|| self.search(&campaign, started));
        if results.tally.operations == 0 {
            let _ =
                print(&format!("seed {}: stopped before the first sequence was run\n", self.seed));
            return Err(Failed("a search that runs nothing says nothing".into()));
        }
        let searched = started.elapsed();
        let finding =
            results.hits.first().map(|hit| self.shrink(&model, &source, hit)).transpose()?;
        self.report(&results, finding.as_ref(), searched)
    }

    fn search(&self, campaign: &Campaign<'_, IsrModel, Generator>, started: Instant) -> Results {
        let progress = self.progress();
        let is_over_time = || self.duration.is_some_and(|limit| started.elapsed() >= limit);
        let results = campaign.run(
            || !interrupt::is_requested() && !is_over_time(),
            |results| {
                progress.set_position(results.tally.sequences);
                let rate = results.tally.operations as f64 / started.elapsed().as_secs_f64();
                progress.set_message(format!("{} operations/s", HumanCount(rate as u64)));
            },
        );
        progress.finish_and_clear();
        results
    }

    fn progress(&self) -> ProgressBar {
        let (progress, template) = match (self.sequences, self.duration) {
            (None, Some(_)) => {
                (ProgressBar::new_spinner(), "{spinner} {elapsed} {human_pos} sequences, {msg}")
            }
            (sequences, _) => (
                ProgressBar::new(sequences.unwrap_or(1_000_000)),
                "{bar:30} {human_pos} of {human_len} sequences, {msg}, {eta} left",
            ),
        };
        match ProgressStyle::with_template(template) {
            Ok(style) => progress.with_style(style),
            Err(_) => progress,
        }
    }

    fn shrink(
        &self,
        model: &IsrModel,
        source: &Generator,
        hit: &Hit,
    ) -> Result<(Finding, PathBuf), Failed> {
        let mut operations = Vec::new();
        let settings = Source::<IsrModel>::draw(source, self.seed, hit.sequence, &mut operations);
        let mut shrinker =
            Shrinker::new(model, Target::of(&hit.failure), || !interrupt::is_requested());
        let case = shrinker
            .shrink(&settings, &operations)
            .ok_or_else(|| Failed("a violation did not show again: this is a bug".into()))?;
        let found = Found { seed: self.seed, sequence: hit.sequence };
        let finding = Finding::new(&case, self.model.variant, found);
        let file = report::save(&finding, &self.out)
            .map_err(|error| Failed(format!("{}: {error}", self.out.display())))?;
        Ok((finding, file))
    }

    fn report(
        &self,
        results: &Results,
        finding: Option<&(Finding, PathBuf)>,
        searched: Duration,
    ) -> Result<Exit, Failed> {
        let report = SearchReport {
            seed: self.seed,
            variant: self.model.variant,
            results,
            findings: finding
                .into_iter()
                .map(|(finding, file)| (finding, file.as_path()))
                .collect(),
            searched,
        };
        if self.json {
            print_json(&report.json())?;
        } else {
            for (finding, _) in &report.findings {
                print(&report::Replay::of(&finding.scenario, Selection::ALL).text())?;
            }
            print(&report.text())?;
        }
        Ok(match (finding, results.ended) {
            (Some(_), _) => Exit::Violated,
            (None, Ended::Interrupted) if interrupt::is_requested() => Exit::Interrupted,
            (None, _) => Exit::Clean,
        })
    }
}

fn parse_seed(text: &str) -> Result<u64, String> {
    if text == "random" {
        // The standard library's own source of entropy: a hasher's keys.
        use std::hash::{BuildHasher, RandomState};
        return Ok(RandomState::new().hash_one(0));
    }
    text.parse()
        .map_err(|error| format!("{error}; a seed is a number from 0 to {}, or `random`", u64::MAX))
}

fn parse_range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let parse = |part: &str| part.parse::<u32>().map_err(|error| format!("{part:?}: {error}"));
    let (min, max) = text.split_once("..").ok_or("give a range, as in 5..40")?;
    let (min, max) = (parse(min)?, parse(max.trim_start_matches('='))?);
    if min == 0 || min > max || max > 10_000 {
        return Err(format!(
            "{min}..{max}: a sequence has 1 to 10,000 operations, MIN at most MAX"
        ));
    }
    Ok(min..=max)
}

fn parse_profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| {
        format!("unknown profile; known are {}", Profile::ALL.map(Profile::name).join(", "))
    })
}
