//! The nightly run: everything that looks for violations, for as long as it is given.
//!
//! The workflow in `.github/workflows/nightly.yml` checks out, caches and calls `highwater nightly`;
//! all else is here, so that it can be run and tested on any machine.

mod ablation;
mod corpora;
mod issues;
mod searches;
mod targets;

pub use issues::open_issues;
pub use targets::{FuzzTarget, TARGETS};

use crate::isr::Rules;
use crate::report::{Ending, Finding, NIGHTLY_FORMAT, NightlyFinding, NightlyResult, Stage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rules that are searched. Ablation needs rules that are clean.
    pub rules: Rules,
    /// The seed of all sequences.
    pub seed: u64,
    /// For how long searches and fuzz targets run, half of it each.
    pub duration: Duration,
    /// Which shard of how many, from 1.
    pub shard: (u64, u64),
    /// Where findings, logs and artifacts go.
    pub out: PathBuf,
    /// The folder with `regressions/` and `isr_ops/`.
    pub corpus: PathBuf,
    /// Where the fuzz crate is, and the corpora that its targets grow; `None` leaves them out.
    pub fuzz: Option<FuzzPlan>,
}

/// What the fuzz targets need.
#[derive(Clone, Debug)]
pub struct FuzzPlan {
    /// The folder of the fuzz crate.
    pub project: PathBuf,
    /// The folder of the corpora, one for each target.
    pub corpora: PathBuf,
}

/// Why a nightly run cannot go on: which file, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .file.display())]
pub struct NightlyError {
    /// The file or folder.
    pub file: PathBuf,
    /// What is wrong with it.
    pub error: String,
}

impl NightlyError {
    fn new(file: impl Into<PathBuf>, error: impl std::fmt::Display) -> Self {
        Self { file: file.into(), error: format!("{error}") }
    }
}

/// What the stages have given so far.
struct Journal<'p> {
    plan: &'p Plan,
    go_on: &'p (dyn Fn() -> bool + Sync),
    stages: Vec<Stage>,
    /// What no scenario shows.
    findings: Vec<NightlyFinding>,
    /// The shortest scenario of each kind of violation.
    violations: BTreeMap<String, NightlyFinding>,
    coverage: Vec<Value>,
}

impl Journal<'_> {
    /// Runs a stage, and notes how it ended and how long it took.
    fn stage(
        &mut self,
        name: &str,
        run: impl FnOnce(&mut Self) -> Result<(Ending, String), NightlyError>,
    ) -> Result<(), NightlyError> {
        let started = Instant::now();
        let (ending, did) = if (self.go_on)() {
            run(self)?
        } else {
            (Ending::Interrupted, "stopped before it began".into())
        };
        let seconds = started.elapsed().as_secs_f64();
        self.stages.push(Stage { name: name.into(), ending, did, seconds });
        Ok(())
    }

    /// How a stage ended that goes on for as long as it may.
    fn ending(&self) -> Ending {
        if (self.go_on)() { Ending::Ran } else { Ending::Interrupted }
    }

    /// Notes a violation, which was met so often. The first of its kind is written, and then each
    /// that is shorter.
    fn keep(&mut self, finding: &Finding, stage: &str, count: u64) -> Result<(), NightlyError> {
        let kind = finding.kind_of_violation();
        let operations = finding.scenario.operations.len();
        let known = self.violations.get_mut(&kind);
        let met = count + known.as_ref().map_or(0, |known| known.count);
        if let Some(known) = known
            && known.operations.len() <= operations
        {
            known.count = met;
            return Ok(());
        }
        let folder = self.plan.out.join("findings");
        let file = finding.save(&folder).map_err(|error| NightlyError::new(folder, error))?;
        let file = file.display().to_string();
        self.violations.insert(kind, NightlyFinding::of(finding, &file, stage, met));
        Ok(())
    }
}

/// Does all that is planned, on the current rayon pool. `go_on` ends it early; `on_stage` is told
/// what begins.
///
/// # Errors
/// A corpus cannot be read, or a finding cannot be written.
pub fn run(
    plan: &Plan,
    go_on: impl Fn() -> bool + Sync,
    mut on_stage: impl FnMut(&str),
) -> Result<NightlyResult, NightlyError> {
    let mut journal = Journal {
        plan,
        go_on: &go_on,
        stages: Vec::new(),
        findings: Vec::new(),
        violations: BTreeMap::new(),
        coverage: Vec::new(),
    };
    on_stage("corpus");
    journal.stage("corpus regressions", corpora::regressions)?;
    journal.stage("corpus isr_ops", corpora::inputs)?;
    on_stage("ablation");
    journal.stage("ablation", |journal| Ok(ablation::run(journal)))?;
    searches::run(&mut journal, &mut on_stage)?;
    targets::run(&mut journal, &mut on_stage)?;
    let Journal { stages, mut findings, violations, coverage, .. } = journal;
    findings.extend(violations.into_values());
    let mut result = NightlyResult {
        format: NIGHTLY_FORMAT.into(),
        verdict: String::new(),
        variant: plan.rules.to_string(),
        seed: plan.seed,
        shards: vec![[plan.shard.0, plan.shard.1]],
        stages,
        findings,
        coverage,
    };
    result.conclude();
    Ok(result)
}
