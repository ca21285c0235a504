//! The fuzz targets, each for its share, by `cargo fuzz`.

use super::{FuzzPlan, Journal, NightlyError, corpora};
use crate::files::{files_in, name_of, replace};
use crate::fuzz::isr_ops::VARIANT_VARIABLE;
use crate::report::{Ending, NightlyFinding};
use crate::scenario::fuzz_input::FuzzInput;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A target of the fuzz crate.
#[derive(Clone, Copy, Debug)]
pub struct FuzzTarget {
    /// Its name.
    pub name: &'static str,
    /// Its part of the time for fuzzing, in quarters.
    pub quarters: u32,
    /// Its seeds, in the corpus folder.
    pub seeds: &'static str,
}

/// All targets.
pub const TARGETS: [FuzzTarget; 3] = [
    FuzzTarget { name: "isr_ops", quarters: 2, seeds: "isr_ops" },
    FuzzTarget { name: "differential", quarters: 1, seeds: "isr_ops" },
    FuzzTarget { name: "scenario_file", quarters: 1, seeds: "regressions" },
];

/// libFuzzer ends at what it finds; it is started so often at most, for as long as there is time.
const STARTS_MAX: u32 = 4;
/// Seconds after which libFuzzer calls a single input too slow.
const INPUT_SECONDS_MAX: u32 = 20;

/// Builds the targets and runs one after the other.
pub(super) fn run(
    journal: &mut Journal<'_>,
    on_stage: &mut impl FnMut(&str),
) -> Result<(), NightlyError> {
    let Some(plan) = &journal.plan.fuzz else {
        return journal.stage("fuzz", |_| Ok((Ending::LeftOut, "as asked for".into())));
    };
    on_stage("building the fuzz targets");
    let mut is_built = false;
    journal.stage("fuzz build", |journal| {
        let built = build(plan);
        is_built = built.is_ok();
        Ok(match built {
            Ok(()) => (Ending::Ran, "built the fuzz targets".into()),
            Err(_) if !(journal.go_on)() => (Ending::Interrupted, "stopped while building".into()),
            Err(reason) => (Ending::NotRun, reason),
        })
    })?;
    for target in TARGETS {
        let name = format!("fuzz {}", target.name);
        on_stage(&name);
        journal.stage(&name, |journal| {
            if is_built {
                fuzz(journal, plan, target, &name)
            } else {
                Ok((Ending::NotRun, "the fuzz targets could not be built".into()))
            }
        })?;
    }
    Ok(())
}

/// `cargo fuzz`, with nightly Rust. Without sanitizers: there is no unsafe code to watch.
fn cargo_fuzz(command: &str, plan: &FuzzPlan) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["+nightly", "fuzz", command, "--sanitizer", "none", "--fuzz-dir"]);
    cargo.arg(&plan.project).stdin(Stdio::null());
    // Set by a cargo that runs this very program: rustup would heed them.
    cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC");
    cargo
}

fn build(plan: &FuzzPlan) -> Result<(), String> {
    if !plan.project.join("Cargo.toml").is_file() {
        return Err(format!(
            "{}: no fuzz crate here; run it where the project is, or give --no-fuzz",
            plan.project.display()
        ));
    }
    let hint = "needs nightly Rust (rustup toolchain install nightly) and cargo-fuzz (cargo install cargo-fuzz)";
    let output = cargo_fuzz("build", plan)
        .output()
        .map_err(|error| format!("cargo cannot be run: {error}; {hint}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().find(|line| line.starts_with("error")).unwrap_or(said.trim());
    Err(format!("cargo +nightly fuzz build fails: {why}; it {hint}"))
}

/// What libFuzzer says about a run.
#[derive(Default)]
struct Stats {
    executions: u64,
    edges: u64,
}

fn fuzz(
    journal: &mut Journal<'_>,
    plan: &FuzzPlan,
    target: FuzzTarget,
    stage: &str,
) -> Result<(Ending, String), NightlyError> {
    let share = journal.plan.duration / 2 * target.quarters / 4;
    let started = Instant::now();
    let mut stats = Stats::default();
    // What earlier nights have left there is known already.
    let left = artifacts_in(&absolute(&journal.plan.out.join("artifacts").join(target.name))?)?;
    let mut known = left.clone();
    for start in 1..=STARTS_MAX {
        let time = share.saturating_sub(started.elapsed());
        if start > 1 && (time < Duration::from_secs(1) || !(journal.go_on)()) {
            break;
        }
        let artifacts = absolute(&journal.plan.out.join("artifacts").join(target.name))?;
        let output = start_target(journal, plan, target, time, &artifacts)?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let log_file = journal.plan.out.join(format!("fuzz-{}-{start}.log", target.name));
        replace(&log_file, log.as_bytes()).map_err(|error| NightlyError::new(log_file, error))?;
        stats.add(&log);
        let new: Vec<_> =
            artifacts_in(&artifacts)?.into_iter().filter(|file| !known.contains(file)).collect();
        for artifact in &new {
            note(journal, target, artifact, &log, stage)?;
        }
        let is_known_again = new.is_empty() && log.contains("Test unit written to");
        known.extend(new.iter().cloned());
        if output.status.success() || is_known_again || !(journal.go_on)() {
            break;
        }
        if new.is_empty() {
            let is_why = |line: &&str| line.to_lowercase().starts_with("error");
            let why = log.lines().find(is_why).unwrap_or("see its log");
            return Ok((Ending::NotRun, format!("ended with {}: {why}", output.status)));
        }
    }
    let Stats { executions, edges } = stats;
    let rate = executions as f64 / started.elapsed().as_secs_f64();
    let did = format!(
        "{executions} executions ({rate:.0}/s), {edges} edges covered, {}",
        match known.len() - left.len() {
            0 => "nothing found".into(),
            found => format!("{found} artifacts"),
        }
    );
    let is_idle = executions == 0 && known.len() == left.len();
    Ok((if is_idle { Ending::NotRun } else { journal.ending() }, did))
}

/// Runs libFuzzer once, from the corpus that earlier nights have left and from the seeds.
fn start_target(
    journal: &Journal<'_>,
    plan: &FuzzPlan,
    target: FuzzTarget,
    time: Duration,
    artifacts: &Path,
) -> Result<Output, NightlyError> {
    let corpus = absolute(&plan.corpora.join(target.name))?;
    let seeds = journal.plan.corpus.join(target.seeds);
    let seeds = seeds.canonicalize().map_err(|error| NightlyError::new(seeds, error))?;
    let mut cargo = cargo_fuzz("run", plan);
    cargo.arg(target.name).arg(corpus).arg(seeds).arg("--");
    // 0 would be no limit.
    cargo.arg(format!("-max_total_time={}", time.as_secs().max(1)));
    cargo.arg(format!("-artifact_prefix={}/", artifacts.display()));
    cargo.arg(format!("-timeout={INPUT_SECONDS_MAX}"));
    // Of a run's two shards, no two do the same.
    cargo.arg(format!("-seed={}", (journal.plan.seed ^ journal.plan.shard.0) as u32 | 1));
    cargo.arg("-print_final_stats=1");
    cargo.env(VARIANT_VARIABLE, journal.plan.rules.to_string());
    cargo.output().map_err(|error| NightlyError::new("cargo", error))
}

/// The folder, made if need be, by a path that is the same from everywhere.
fn absolute(folder: &Path) -> Result<PathBuf, NightlyError> {
    let made = std::fs::create_dir_all(folder).and_then(|()| folder.canonicalize());
    made.map_err(|error| NightlyError::new(folder, error))
}

fn artifacts_in(folder: &Path) -> Result<Vec<PathBuf>, NightlyError> {
    let mut files = files_in(folder).map_err(|error| NightlyError::new(folder, error))?;
    // A slow input is no failure; libFuzzer only mentions it.
    files.retain(|file| !name_of(file).starts_with("slow-unit"));
    Ok(files)
}

/// What libFuzzer kept: a shrunk scenario where the bytes are operations that violate something,
/// else the file as it is.
fn note(
    journal: &mut Journal<'_>,
    target: FuzzTarget,
    artifact: &Path,
    log: &str,
    stage: &str,
) -> Result<(), NightlyError> {
    let bytes = std::fs::read(artifact).map_err(|error| NightlyError::new(artifact, error))?;
    if target.name == "isr_ops"
        && let Ok(input) = FuzzInput::decode(&bytes)
        && corpora::note_if_violating(journal, input, stage)?
    {
        return Ok(());
    }
    let name = name_of(artifact);
    let explanation = match log.find("panicked at") {
        Some(start) => log[start..].split("stack backtrace:").next().unwrap_or_default(),
        None => log.lines().rev().find(|line| line.starts_with("SUMMARY")).unwrap_or("no panic"),
    };
    let file = artifact.display().to_string();
    journal.findings.push(NightlyFinding {
        command: Some(format!("cargo +nightly fuzz run --sanitizer none {} {file}", target.name)),
        file: Some(file),
        ..NightlyFinding::other(
            format!("fuzz-{}-{name}", target.name),
            stage,
            explanation.trim().into(),
        )
    });
    Ok(())
}

impl Stats {
    fn add(&mut self, log: &str) {
        let number = |text: &str| text.split_whitespace().next()?.parse::<u64>().ok();
        let executions = log
            .lines()
            .find_map(|line| number(line.strip_prefix("stat::number_of_executed_units:")?));
        self.executions += executions.unwrap_or(0);
        let edges = log.lines().filter_map(|line| number(line.split_once(" cov: ")?.1)).max();
        self.edges = self.edges.max(edges.unwrap_or(0));
    }
}
