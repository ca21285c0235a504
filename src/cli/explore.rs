//! `highwater explore`: every state that operations within bounds can lead to.

mod isr;
mod kip;
mod progress;

use crate::cli::model::{KipOptions, ModelName, parse_model};
use crate::cli::options::{InvariantOptions, require_writable, thread_pool};
use crate::cli::output::{print, print_json};
use crate::cli::pages::{page_of, say_page};
use crate::cli::{Exit, Failed, interrupt, memory};
use crate::explore::{Checkpoint, Ended, Exploration, Explored, Limits};
use crate::model::Model;
use crate::report::{ExploreReport, Finding, Subject, Told};
use crate::scenario::ScenarioFile;
use bytesize::ByteSize;
use clap::Args;
use highwater_invariants::Renaming;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Visit every state that operations within bounds can lead to
#[derive(Args, Debug)]
#[command(after_help = "\
Breadth first, so a counterexample is a shortest one, and the same one on any number of threads.
If nothing is violated and the space is exhausted, nothing within the bounds can be violated: each
state that operations within the bounds can lead to was checked, with the same invariants as
everywhere, but for the probability, which is printed, that two states had the same fingerprint.

--operations says what is offered: write+submit=2 is at most two writes of either kind on any way,
tick without a number any number of ticks, and what is not named is not offered. crash_losing is a
crash that loses what is not synced, crash one that does not. What is refused counts for no bound.
Every write has a value of its own. The default for isr is
write+submit=2,controller_elect=1,crash_losing=1,restart,isolate=1,heal=1,tick.

Exit code 0 if the space is exhausted and clean, 1 if something is violated, 2 for bad input, 3 if
a budget was reached or the checker gave up somewhere, 130 if Ctrl-C came before anything was found.

Examples:
  highwater explore --invariant committed-prefix-agreement
  highwater explore --variant hardened --operations write+submit=2,controller_elect=1,tick
  highwater explore --variant hardened --without one-catch-up --max-states 10000000
  highwater explore --model kip:101 --replicas 2 --log-size 2 --max-records 2 --max-leader-epoch 2
  highwater explore --variant hardened --checkpoint levels
  highwater explore --variant hardened --resume levels")]
pub(super) struct Explore {
    /// The model: isr, kip:truncate-to-hw, kip:101, kip:279, kip:320-first-try, kip:320 or
    /// kip:async-isr
    #[arg(long, default_value = "isr", value_parser = parse_model)]
    model: ModelName,

    /// Switch off these rules: guards of an isr variant, or rules of a kip model; see `highwater list`
    #[arg(long, value_name = "RULE[,RULE...]", value_delimiter = ',')]
    without: Vec<String>,

    /// Which operations are offered, and how often along one way; see `highwater list operations`
    /// [default: of isr a few writes, an election, a lossy crash and an isolation; of the others all]
    #[arg(long, value_name = "NAME[+NAME...][=N][,...]")]
    operations: Option<String>,

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

    /// Write a page for each counterexample into this folder
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    isr: isr::IsrOptions,

    #[command(flatten)]
    kip: KipOptions,
}

impl Explore {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        self.model.require_own_options()?;
        if self.model == ModelName::Isr {
            return isr::run(self);
        }
        kip::run(self)
    }

    /// Writes findings, and says into which files.
    fn save<F: ScenarioFile>(&self, findings: &[Finding<F>]) -> Result<Vec<String>, Failed> {
        let save = |finding: &Finding<F>| {
            let file = finding.save(&self.out).map_err(|error| {
                Failed(format!("{}: cannot be written: {error}", self.out.display()))
            })?;
            let file = file.display().to_string();
            if let Some(folder) = &self.html {
                let page = page_of(folder, &file, &finding.scenario)?;
                if !self.json {
                    say_page(&page)?;
                }
            }
            Ok(file)
        };
        findings.iter().map(save).collect()
    }

    /// Explores, and prints what came of it. `tell` tells the counterexamples, and says which files it
    /// has written.
    fn drive<M>(
        &self,
        exploration: &Exploration<'_, M>,
        subject: Subject,
        tell: impl FnOnce(&Explored<M>) -> Result<(Vec<Told>, Vec<String>), Failed>,
    ) -> Result<Exit, Failed>
    where
        M: Model + Sync,
        M::Settings: Sync,
        M::State: Send + Sync,
        M::Operation: Send + Sync,
    {
        require_writable(&self.out)?;
        self.html.as_deref().map(require_writable).transpose()?;
        interrupt::listen()?;
        let pool = thread_pool(self.threads)?;
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
        let (told, files) = tell(&explored)?;
        let was_stopped = interrupt::is_requested();
        let report = ExploreReport::of(exploration, &explored, subject, told, was_stopped);
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
            Ended::Interrupted if was_stopped => Exit::Interrupted,
            _ if explored.is_clean() => Exit::Clean,
            _ => Exit::NotCovered,
        })
    }

    fn limits(&self) -> Result<Limits, Failed> {
        Ok(Limits {
            states_max: self.max_states.unwrap_or(u64::MAX),
            depth_max: self.max_depth.unwrap_or(usize::MAX),
            memory_max: memory::budget(self.max_memory)?,
        })
    }

    fn symmetries<M: Model>(
        &self,
        model: &M,
        settings: &M::Settings,
    ) -> Result<Vec<Renaming>, Failed> {
        if !self.symmetry {
            return Ok(Vec::new());
        }
        model.symmetries(settings).map_err(|why| Failed(format!("--symmetry: {why}")))
    }
}
