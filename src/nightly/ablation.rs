//! Is every guard still needed, and every absence still caught?

use super::Journal;
use crate::isr::IsrModel;
use crate::report::{Ending, NightlyFinding};
use crate::scenario::generate::Generator;
use crate::search::ablate;
use highwater_invariants::Selection;

/// Sequences for each guard, at most.
const SEQUENCES_MAX: u64 = 1_000_000;

/// Switches off each guard in turn.
pub(super) fn run(journal: &mut Journal<'_>) -> (Ending, String) {
    let plan = journal.plan;
    if plan.shard.0 != 1 {
        return (Ending::LeftOut, "the first shard does it for all".into());
    }
    if !plan.rules.must_be_clean() {
        let why = format!("{} is not clean itself, so it would say nothing", plan.rules);
        return (Ending::LeftOut, why);
    }
    let guards: Vec<_> = plan.rules.guards().iter().collect();
    let mut caught = 0;
    for &guard in &guards {
        let source = Generator { rules: plan.rules.without(guard), ..Generator::default() };
        let model = IsrModel::default();
        let ablation =
            ablate(&model, &source, plan.seed, SEQUENCES_MAX, Selection::ALL, journal.go_on);
        if ablation.caught_by().is_some() {
            caught += 1;
        } else if ablation.is_interrupted {
            return (Ending::Interrupted, format!("{caught} guards caught so far"));
        } else {
            let explanation = format!(
                "{} sequences without the guard {guard} violate nothing: either nothing needs it, \
                 or the checker has a hole. ({guard}: {})",
                ablation.sequences,
                guard.statement()
            );
            let signature = format!("ablation-{guard}-not-caught");
            journal.findings.push(NightlyFinding {
                command: Some(format!("highwater ablate --guard {guard} --seed {}", plan.seed)),
                ..NightlyFinding::other(signature, "ablation", explanation)
            });
        }
    }
    (Ending::Ran, format!("{caught} of {} guards caught", guards.len()))
}
