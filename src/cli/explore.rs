//! `highwater explore`: every state that operations within bounds can lead to.

mod progress;

use crate::cli::options::{InvariantOptions, ModelOptions, require_writable, thread_pool};
use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed, interrupt, memory};
use crate::explore::{Bounds, Checkpoint, Ended, Exploration, Limits};
use crate::isr::{GroupConfiguration, IsrModel, Operation, Settings, Values};
use crate::model::Model;
use crate::report::ExploreReport;
use bytesize::ByteSize;
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Visit every state that operations within bounds can lead to
#[derive(Args, Debug)]
#[command(after_help = "\
Breadth first, so a counterexample is a shortest one, and the same one on any number of threads. If
nothing is violated and the space is exhausted, nothing within the bounds can be violated: each state
that operations within the bounds can lead to was checked, with the same invariants as everywhere,
but for the probability, which is printed, that two states had the same fingerprint.

--operations says what is offered: write+submit=2 is at most two writes of either kind on any way,
tick without a number any number of ticks, and what is not named is not offered. crash_losing is a
crash that loses what is not synced, crash one that does not. What is refused counts for no bound.
Every write has a value of its own.

Exit code 0 if the space is exhausted and clean, 1 if something is violated, 2 for bad input, 3 if a
budget was reached or the checker gave up somewhere, 130 if Ctrl-C came before anything was found.

Examples:
  highwater explore --invariant committed-prefix-agreement
  highwater explore --variant hardened --operations write+submit=2,controller_elect=1,tick
  highwater explore --variant hardened --without one-catch-up --max-states 10000000
  highwater explore --variant hardened --checkpoint levels
  highwater explore --variant hardened --resume levels")]
pub(super) struct Explore {
    #[command(flatten)]
    model: ModelOptions,

    /// Which operations are offered, and how often along one way; see `highwater list operations`
    #[arg(
        long,
        value_name = "NAME[+NAME...][=N][,...]",
        default_value = "write+submit=2,controller_elect=1,crash_losing=1,restart,isolate=1,heal=1,tick"
    )]
    operations: String,

    #[command(flatten)]
    configuration: Configuration,

    /// How many keys writes and reads name
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=16))]
    keys: u16,

    #[command(flatten)]
    invariants: InvariantOptions,

    /// Check each state by its operations alone: do not leave it to itself, and do not stop its
    /// faults, to see whether it comes to rest and recovers
    #[arg(long)]
    no_second_phase: bool,

    /// Go on after the first violation, and report a shortest one of each invariant
    #[arg(long)]
    keep_going: bool,

    /// Count states that differ in names of nodes alone as one, where the rules treat all nodes alike
    #[arg(long)]
    symmetry: bool,

    /// Stop when so many states were visited
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_states: Option<u64>,

    /// Go so many operations deep at most
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,

    /// Use so much memory for visited states at most, as in 2GiB [default: three quarters of what is
    /// available]
    #[arg(long, value_name = "BYTES")]
    max_memory: Option<ByteSize>,

    /// How long at most, as in 90s, 10m, 2h
    #[arg(long = "for", value_name = "DURATION", value_parser = humantime::parse_duration)]
    duration: Option<Duration>,

    /// Bits of a fingerprint: 128 make it even less probable that one hides a state
    #[arg(long, default_value = "64", value_parser = ["64", "128"])]
    fingerprint: String,

    /// How many threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Write every level into this folder, so that --resume can go on with it
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    checkpoint: Option<PathBuf>,

    /// Go on with the levels that --checkpoint has written into this folder
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// Where counterexamples are written
    #[arg(long, default_value = "findings", value_name = "DIR")]
    out: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The partition's configuration: small numbers, so that there are few states.
#[derive(Args, Debug)]
struct Configuration {
    /// How many nodes
    #[arg(long, value_name = "N", default_value = "3")]
    nodes: usize,

    /// `min.insync.replicas`
    #[arg(long, value_name = "N", default_value = "2")]
    min_insync_replicas: u64,

    /// Ticks without being caught up after which a follower leaves the ISR
    #[arg(long, value_name = "TICKS", default_value = "1")]
    replica_lag_timeout: u64,

    /// Latest leader appends that can be replayed to a follower
    #[arg(long, value_name = "ENTRIES", default_value = "2")]
    log_retention: u64,

    /// Ticks that a message takes
    #[arg(long, value_name = "TICKS", default_value = "1")]
    replication_delay: u64,

    /// How many times a waiting write is looked at, a tick apart
    #[arg(long, value_name = "TICKS", default_value = "2")]
    ack_timeout: u64,

    /// Ticks for which a leader may serve authoritative reads after it last had enough ISR members
    #[arg(long, value_name = "TICKS", default_value = "1", allow_negative_numbers = true)]
    lease_duration: i64,
}

impl Explore {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let bounds = Bounds::parse::<IsrModel>(&self.operations)
            .map_err(|error| Failed(format!("--operations: {error}")))?;
        let settings = self.settings()?;
        let selection = self.invariants.selection()?;
        let memory_max = memory::budget(self.max_memory)?;
        require_writable(&self.out)?;
        interrupt::listen()?;
        let pool = thread_pool(self.threads)?;
        let model = model_for(&bounds, self.keys);
        let symmetries = if self.symmetry {
            model.symmetries(&settings).map_err(|why| Failed(format!("--symmetry: {why}")))?
        } else {
            Vec::new()
        };
        let exploration = Exploration {
            model: &model,
            symmetries,
            settings,
            bounds,
            selection,
            second_phase: !self.no_second_phase,
            keep_going: self.keep_going,
            is_wide: self.fingerprint == "128",
            limits: Limits {
                states_max: self.max_states.unwrap_or(u64::MAX),
                depth_max: self.max_depth.unwrap_or(usize::MAX),
                memory_max,
            },
        };
        let checkpoint = match (&self.checkpoint, &self.resume) {
            (Some(folder), _) => {
                require_writable(folder)?;
                Some(Checkpoint::write(folder))
            }
            (None, Some(folder)) => Some(Checkpoint::resume(folder)),
            (None, None) => None,
        };
        let started = Instant::now();
        let is_in_time = || self.duration.is_none_or(|limit| started.elapsed() < limit);
        let mut progress = progress::Bar::new(started);
        let explored = pool.install(|| {
            let go_on = || !interrupt::is_requested() && is_in_time();
            exploration.run_with(checkpoint.as_ref(), go_on, |done| progress.show(done))
        });
        progress.finish();
        let explored = explored?;
        let seconds = started.elapsed().as_secs_f64();
        let report = ExploreReport::of(&exploration, &explored, interrupt::is_requested());
        let mut files = Vec::new();
        for finding in report.findings() {
            let file = finding.save(&self.out).map_err(|error| {
                Failed(format!("{}: cannot be written: {error}", self.out.display()))
            })?;
            files.push(file.display().to_string());
        }
        let rate = explored.distinct() as f64 / seconds;
        if self.json {
            let mut json = report.json();
            json["files"] = files.into();
            json["timing"] = serde_json::json!({"seconds": seconds, "states_per_second": rate});
            print_json(&json)?;
        } else {
            let mut text = report.text();
            for file in files {
                text.push_str(&format!("  highwater replay {file}\n"));
            }
            print(&format!("{text}in {seconds:.1} s ({rate:.0} states/s)\n"))?;
        }
        Ok(match explored.ended {
            _ if !explored.counterexamples.is_empty() => Exit::Violated,
            Ended::Interrupted if interrupt::is_requested() => Exit::Interrupted,
            _ if explored.is_clean() => Exit::Clean,
            _ => Exit::NotCovered,
        })
    }

    fn settings(&self) -> Result<Settings, Failed> {
        let Configuration {
            nodes,
            min_insync_replicas,
            replica_lag_timeout,
            log_retention,
            replication_delay,
            ack_timeout,
            lease_duration,
        } = self.configuration;
        let configuration = GroupConfiguration {
            nodes: (1..=nodes.min(1000)).map(|number| format!("node-{number}")).collect(),
            leader: None,
            min_insync_replicas,
            replica_lag_timeout_ticks: replica_lag_timeout,
            log_retention_entries: log_retention,
            replication_delay_ticks: replication_delay,
            ack_timeout_ticks: ack_timeout,
            lease_duration_ticks: lease_duration,
            seed: 0,
        };
        let limits = configuration.limits_for_engines();
        Ok(configuration.check(self.model.rules()?, limits)?)
    }
}

/// The model that offers what the bounds speak of.
fn model_for(bounds: &Bounds, keys: u16) -> IsrModel {
    let is_of_network = |name: &str| name.ends_with("_message") || name.ends_with("_link");
    let mut kinds = Operation::NAMES.iter().enumerate();
    let network_faults = kinds.any(|(kind, name)| is_of_network(name) && bounds.offers(kind));
    IsrModel { keys, values: Values::Fresh, network_faults, ..IsrModel::default() }
}
