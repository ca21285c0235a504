//! What is already known is replayed: counterexamples must still be ones, fuzz inputs still clean.

use super::{Journal, NightlyError};
use crate::files::files_in;
use crate::fuzz::isr_ops;
use crate::picture::TEXT_WIDTH;
use crate::report::{Ending, Finding, NightlyFinding};
use crate::scenario::AnyScenario;
use crate::scenario::fuzz_input::FuzzInput;
use std::path::{Path, PathBuf};

type Stage = Result<(Ending, String), NightlyError>;

fn files(folder: &Path) -> Result<Vec<PathBuf>, NightlyError> {
    files_in(folder).map_err(|error| NightlyError::new(folder, error))
}

/// Every scenario of `regressions/` must give what it expects.
pub(super) fn regressions(journal: &mut Journal<'_>) -> Stage {
    let mut number = 0;
    for file in files(&journal.plan.corpus.join("regressions"))? {
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let scenario =
            AnyScenario::read(&file).map_err(|error| NightlyError::new(&file, error.reason))?;
        let picture = scenario.picture(scenario.applicable());
        number += 1;
        if picture.expectation_met != Some(true) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let shown = file.display().to_string();
            let explanation = picture.text(TEXT_WIDTH);
            journal.findings.push(NightlyFinding {
                command: Some(format!("highwater replay {shown}")),
                file: Some(shown),
                ..NightlyFinding::other(
                    format!("regression-{stem}"),
                    "corpus regressions",
                    explanation,
                )
            });
        }
    }
    let ending = if number == 0 { Ending::NotRun } else { Ending::Ran };
    Ok((ending, format!("replayed {number} scenarios")))
}

/// Every input of `isr_ops/` must be clean under the rules of this night.
pub(super) fn inputs(journal: &mut Journal<'_>) -> Stage {
    let files = files(&journal.plan.corpus.join("isr_ops"))?;
    for file in &files {
        let bytes = std::fs::read(file).map_err(|error| NightlyError::new(file, error))?;
        let input = FuzzInput::decode(&bytes).map_err(|error| NightlyError::new(file, error))?;
        note_if_violating(journal, input, "corpus isr_ops")?;
    }
    let ending = if files.is_empty() { Ending::NotRun } else { Ending::Ran };
    Ok((ending, format!("ran {} inputs", files.len())))
}

/// Runs an input under the rules of this night; what it violates is shrunk and kept. True if it
/// violates something.
pub(super) fn note_if_violating(
    journal: &mut Journal<'_>,
    mut input: FuzzInput,
    stage: &str,
) -> Result<bool, NightlyError> {
    input.settings.rules = journal.plan.rules;
    let verdict = isr_ops::verdict_of(&input);
    for failure in &verdict.failures {
        if let Some(finding) = Finding::shrunk(&input.settings, &input.operations, failure) {
            journal.keep(&finding, stage, 1)?;
        }
    }
    Ok(!verdict.failures.is_empty())
}
