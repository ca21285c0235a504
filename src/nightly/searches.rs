//! Random search, a while for each profile.

use super::{Journal, NightlyError};
use crate::isr::IsrModel;
use crate::report::{Ending, Finding, NightlyFinding, coverage_json};
use crate::scenario::Found;
use crate::scenario::generate::{Generator, Profile};
use crate::search::shrink::Target;
use crate::search::{Campaign, Ended, Group, Results, Stop, Tally, shrink_all};
use highwater_invariants::Selection;
use std::ops::Range;
use std::time::Instant;

/// Searches with every profile in turn.
pub(super) fn run(
    journal: &mut Journal<'_>,
    on_stage: &mut impl FnMut(&str),
) -> Result<(), NightlyError> {
    let mut tally = Tally::new::<IsrModel>();
    for profile in Profile::ALL {
        let name = format!("search {}", profile.name());
        on_stage(&name);
        journal.stage(&name, |journal| search(journal, profile, &name, &mut tally))?;
    }
    journal.coverage.push(coverage_json::<IsrModel>(&tally, Selection::ALL));
    Ok(())
}

/// This shard's part of all sequences that there are.
const fn range((shard, shards): (u64, u64)) -> Range<u64> {
    let part = u64::MAX / shards;
    (shard - 1) * part..if shard == shards { u64::MAX } else { shard * part }
}

fn search(
    journal: &mut Journal<'_>,
    profile: Profile,
    stage: &str,
    tally: &mut Tally,
) -> Result<(Ending, String), NightlyError> {
    let plan = journal.plan;
    let share = plan.duration / 2 / Profile::ALL.len() as u32;
    let model = IsrModel::default();
    let source = Generator { profile: Some(profile), rules: plan.rules, ..Generator::default() };
    let campaign = Campaign {
        model: &model,
        source: &source,
        seed: plan.seed,
        range: range(plan.shard),
        selection: Selection::ALL,
        stop: Stop::AtEnd,
        check_determinism: false,
    };
    let started = Instant::now();
    let results = campaign.run(|| (journal.go_on)() && started.elapsed() < share, |_| ());
    tally.add(&results.tally);
    keep_findings(journal, &results, &source, stage)?;
    if results.tally.sequences == 0 {
        return Ok((Ending::NotRun, "not a single sequence was run in its time".into()));
    }
    let did = format!(
        "{} sequences, {} operations, {}",
        results.tally.sequences,
        results.tally.operations,
        match results.groups.len() {
            0 => "nothing violated".into(),
            kinds => format!("{kinds} kinds of violations"),
        }
    );
    // It always goes on until it is stopped; here it matters by whom.
    let ending = if results.ended == Ended::Interrupted { journal.ending() } else { Ending::Ran };
    Ok((ending, did))
}

fn keep_findings(
    journal: &mut Journal<'_>,
    results: &Results,
    source: &Generator,
    stage: &str,
) -> Result<(), NightlyError> {
    let (plan, model) = (journal.plan, IsrModel::default());
    let shrunk = shrink_all(&model, source, plan.seed, &results.groups, || true, || ());
    let shrunk = match shrunk {
        Ok(shrunk) => shrunk,
        Err((target, candidate)) => {
            let (invariant, sequence) = (target.invariant.name(), candidate.sequence);
            let explanation = format!(
                "the violation of {invariant} in sequence {sequence} of seed {} did not show again",
                plan.seed
            );
            let signature = format!("nondeterminism-{invariant}");
            journal.findings.push(NightlyFinding::other(signature, stage, explanation));
            return Ok(());
        }
    };
    for one in shrunk {
        // A group's count goes to its first candidate, so that sums stay right.
        let is_of_group = |&(target, group): &(Target, &Group)| {
            target == one.target && group.candidates.first() == Some(&one.candidate)
        };
        let count = results.groups.iter().find(is_of_group).map_or(0, |(_, group)| group.count);
        let found = Found { seed: plan.seed, sequence: one.candidate.sequence };
        let finding = Finding::new(&one.case, Some(found));
        journal.keep(&finding, stage, count)?;
    }
    Ok(())
}
