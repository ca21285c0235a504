//! `highwater shrink`: a failing scenario, made short.

use crate::cli::certify::CertifyOptions;
use crate::cli::options::{InvariantOptions, require_writable};
use crate::cli::output::{print, print_json, width};
use crate::cli::{Exit, Failed, interrupt};
use crate::isr::IsrModel;
use crate::kip::{AsyncIsrModel, KipModel};
use crate::report::{Finding, Reported};
use crate::run::run;
use crate::scenario::{AnyScenario, Expectation, ScenarioFile};
use crate::search::shrink::{Shrinker, Target};
use clap::Args;
use highwater_invariants::Selection;
use indicatif::ProgressBar;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Make a failing scenario as short and as simple as it can be
#[derive(Args, Debug)]
#[command(after_help = "\
The invariant that the scenario expects to be violated stays violated, by the same kind of evidence;
without an expectation, the invariant that is violated first (of those given by --invariant).

Example:
  highwater shrink long.json --out findings
  highwater shrink long.json --certify")]
pub(super) struct Shrink {
    /// The scenario file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write the short scenario
    #[arg(long, default_value = "findings", value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    certify: CertifyOptions,

    /// Stop after so long, with the best so far, as in 30s
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    shrink_for: Option<Duration>,

    #[command(flatten)]
    invariants: InvariantOptions,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Shrink {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let scenario = AnyScenario::read(&self.file)?;
        require_writable(&self.out)?;
        let selection = match scenario.expectation() {
            Some(Expectation::Violated { invariant, .. }) => Selection::only(invariant),
            _ => self.invariants.selection_of(scenario.applicable(), scenario.model())?,
        };
        match scenario {
            AnyScenario::Isr(scenario) => {
                let (settings, operations) = (scenario.settings, scenario.operations.clone());
                self.shrink::<IsrModel>(scenario, settings, &operations, selection)
            }
            AnyScenario::Kip(scenario) => {
                let (settings, operations) = (scenario.settings, scenario.operations.clone());
                self.shrink::<KipModel>(scenario, settings, &operations, selection)
            }
            AnyScenario::AsyncIsr(scenario) => {
                let (settings, operations) = (scenario.settings, scenario.operations.clone());
                self.shrink::<AsyncIsrModel>(scenario, settings, &operations, selection)
            }
        }
    }

    fn shrink<M: Reported + Default>(
        &self,
        scenario: M::File,
        settings: M::Settings,
        operations: &[M::Operation],
        selection: Selection,
    ) -> Result<Exit, Failed> {
        let model = M::default();
        let verdict = run(&model, &settings, operations, selection);
        let Some(failure) = verdict.failures.first() else {
            let file = self.file.display();
            return Err(Failed(format!("{file}: nothing to shrink: no invariant is violated")));
        };
        interrupt::listen()?;
        let progress = ProgressBar::new_spinner().with_message("scenarios tried");
        let started = Instant::now();
        let is_in_time = || self.shrink_for.is_none_or(|limit| started.elapsed() < limit);
        let go_on = || {
            progress.inc(1);
            !interrupt::is_requested() && is_in_time()
        };
        let mut shrinker = Shrinker::new(&model, Target::of(failure), go_on).keep_names();
        let mut case = shrinker.shrink(&settings, operations).ok_or_else(|| {
            Failed("the violation did not show again: this is a bug of highwater".into())
        })?;
        progress.finish_and_clear();
        let (before, runs) = (operations.len(), shrinker.runs());
        let certified = self.certify.certify(&mut case)?;
        let finding = Finding::within::<M>(scenario, &case);
        let file = finding
            .save(&self.out)
            .map_err(|error| Failed(format!("{}: {error}", self.out.display())))?;
        if self.json {
            print_json(&json!({
                "invariant": finding.invariant.name(),
                "operations_before": before,
                "operations": case.operations.len(),
                "runs": runs,
                "certificate": certified.as_ref().map(|one| one.word),
                "file": file.display().to_string(),
            }))?;
        } else {
            let written = AnyScenario::parse(&file, finding.scenario.to_json().as_bytes())?;
            let picture = written.picture(written.applicable());
            let after = case.operations.len();
            let file = file.display();
            let certified = certified.map(|one| format!("{}\n", one.statement));
            let certified = certified.unwrap_or_default();
            print(&format!(
                "{}\n{before} operations shrunk to {after} in {runs} runs: {file}\n{certified}",
                picture.coloured_text(width())
            ))?;
        }
        Ok(Exit::Clean)
    }
}
