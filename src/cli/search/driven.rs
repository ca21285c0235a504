//! A search of one model: run, shrunk, kept, told.

use super::{DEFAULT_SEQUENCES, Search, progress};
use crate::cli::options::{require_writable, thread_pool};
use crate::cli::output::{print, print_json, width};
use crate::cli::pages::{page_of, say_page};
use crate::cli::{Exit, Failed, interrupt};
use crate::report::{
    CandidateResult, Finding, GroupResult, Reported, SEARCH_FORMAT, SearchResult, coverage_json,
    not_covered,
};
use crate::scenario::generate::Profile;
use crate::scenario::{Found, ScenarioFile, phase_name};
use crate::search::shrink::Target;
use crate::search::{Campaign, Ended, Group, Groups, Results, Shrunk, Source, shrink_all};
use highwater_invariants::Selection;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A search of the model `M`.
pub(super) struct Driven<'s, M, S> {
    pub(super) search: &'s Search,
    pub(super) model: M,
    pub(super) source: S,
    /// The model's name, and the rules that it follows.
    pub(super) name: &'static str,
    pub(super) rules: String,
    /// What else is searched than the command line's options say; null if nothing.
    pub(super) configuration: Value,
    /// The invariants that speak of the model, and those that are checked.
    pub(super) applicable: Selection,
    pub(super) selection: Selection,
}

impl<M, S> Driven<'_, M, S>
where
    M: Reported,
    S: Source<M> + Send,
{
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let Self { search, model, source, selection, .. } = self;
        let range = search.range()?;
        require_writable(&search.out)?;
        search.html.as_deref().map(require_writable).transpose()?;
        interrupt::listen()?;
        let pool = thread_pool(search.threads)?;
        let campaign = Campaign {
            model,
            source,
            seed: search.seed,
            range,
            selection: *selection,
            stop: search.stop(),
            check_determinism: search.check_determinism,
        };
        let started = Instant::now();
        let results = pool.install(|| self.search(&campaign, started));
        let searched = started.elapsed();
        if results.tally.operations == 0 {
            let seed = search.seed;
            return Err(Failed(format!(
                "seed {seed}: not a single operation was run; is --for too short, or does nothing with a weight apply?"
            )));
        }
        let groups =
            if search.keeps_going() { results.groups.clone() } else { results.groups.soonest() };
        let mut shrunk = pool.install(|| self.shrink(&groups))?;
        let certificates = pool.install(|| self.certify_all(&mut shrunk))?;
        let (groups, unsaved) = self.save(&groups, &shrunk)?;
        let result = self.result(&results, groups, searched);
        let exit = self.report(&result, &results)?;
        self.write_pages(&result)?;
        if !search.json {
            print(&certificates)?;
        }
        // What was found is shown even if it cannot be kept.
        unsaved.map_or(Ok(exit), Err)
    }

    fn search(&self, campaign: &Campaign<'_, M, S>, started: Instant) -> Results {
        let number = campaign.range.end - campaign.range.start;
        let progress = progress::of_search(number, self.search.duration);
        let is_in_time = || self.search.duration.is_none_or(|limit| started.elapsed() < limit);
        let results = campaign.run(
            || !interrupt::is_requested() && is_in_time(),
            |results| progress::show(&progress, results, started),
        );
        progress.finish_and_clear();
        results
    }

    /// A page for each finding, if that was asked for.
    fn write_pages(&self, result: &SearchResult) -> Result<(), Failed> {
        let Some(folder) = &self.search.html else { return Ok(()) };
        for (finding, scenario) in result.findings.iter().zip(result.scenarios()) {
            let page = page_of(folder, &finding.file, &scenario)?;
            if !self.search.json {
                say_page(&page)?;
            }
        }
        Ok(())
    }

    fn shrink(&self, groups: &Groups) -> Result<Vec<Shrunk<M>>, Failed> {
        let Self { search, model, source, .. } = self;
        let number = groups.iter().map(|(_, group)| group.candidates.len()).sum::<usize>();
        let progress = progress::of_shrinking(number as u64);
        let started = Instant::now();
        let is_in_time = || self.search.shrink_for.is_none_or(|limit| started.elapsed() < limit);
        let shrunk = shrink_all(model, source, search.seed, groups, is_in_time, || progress.inc(1));
        progress.finish_and_clear();
        shrunk.map_err(|(target, candidate)| {
            let (invariant, sequence) = (target.invariant.name(), candidate.sequence);
            Failed(format!(
                "the violation of {invariant} in sequence {sequence} of seed {} did not show again: \
                 this is a bug of highwater",
                self.search.seed
            ))
        })
    }

    /// Puts the shortest scenarios in place of those that are longer. What is known of each, a line
    /// for every scenario.
    fn certify_all(&self, shrunk: &mut [Shrunk<M>]) -> Result<String, Failed> {
        let mut text = String::new();
        for one in shrunk {
            let certified = self.search.certify.certify(&mut one.case)?;
            text.extend(certified.map(|certified| format!("{}\n", certified.statement)));
        }
        Ok(text)
    }

    /// Writes every shrunk scenario, and puts it into its group.
    fn save(
        &self,
        groups: &Groups,
        shrunk: &[Shrunk<M>],
    ) -> Result<(Vec<GroupResult>, Option<Failed>), Failed> {
        let (mut results, mut unsaved) = (Vec::new(), None);
        for (target, group) in groups.iter() {
            let mut result = group_result(target, group);
            for one in shrunk.iter().filter(|one| one.target == target) {
                let found = Found { seed: self.search.seed, sequence: one.candidate.sequence };
                let finding = Finding::new(&one.case, Some(found));
                let file = finding.save(&self.search.out).unwrap_or_else(|error| {
                    let file = self.search.out.join(finding.file_name());
                    let failed = format!("{}: cannot be written: {error}", file.display());
                    unsaved.get_or_insert(Failed(failed));
                    file
                });
                result.candidates.push(CandidateResult {
                    operation: one.candidate.operation,
                    sequence: one.candidate.sequence,
                    scenario: serde_json::from_str(&finding.scenario.to_json())?,
                    signature: finding.signature,
                    file: file.display().to_string(),
                });
            }
            results.push(result);
        }
        Ok((results, unsaved))
    }

    fn result(
        &self,
        results: &Results,
        groups: Vec<GroupResult>,
        searched: Duration,
    ) -> SearchResult {
        let seconds = searched.as_secs_f64();
        let operations = results.tally.operations;
        let mut result = SearchResult {
            format: SEARCH_FORMAT.into(),
            verdict: match results.ended {
                Ended::Nondeterministic(_) => "nondeterministic",
                Ended::Interrupted if interrupt::is_requested() => "interrupted",
                _ => "clean",
            }
            .into(),
            model: self.name.into(),
            variant: self.rules.clone(),
            seed: self.search.seed,
            options: self.options(),
            ranges: vec![[results.range.start, results.range.end]],
            stopped: results.ended == Ended::Stopped,
            sequences: results.tally.sequences,
            operations,
            findings: Vec::new(),
            groups,
            coverage: coverage_json::<M>(&results.tally, self.applicable),
            timing: json!({"seconds": seconds, "operations_per_second": operations as f64 / seconds}),
        };
        result.conclude();
        result
    }

    /// What the sequences depend on besides model, rules and seed.
    fn options(&self) -> Value {
        let search = self.search;
        let mut options = json!({
            "profile": search.profile.map(Profile::name),
            "weights": search.weights.iter().map(|(name, weight)| json!([name, weight])).collect::<Vec<_>>(),
            "ops": [search.operations.start(), search.operations.end()],
            "invariants": search.invariants.names(),
            "keep_going": search.keep_going,
            "max_findings": search.max_findings,
            "sequences": search.sequences.or(search.duration.is_none().then_some(DEFAULT_SEQUENCES)),
        });
        if !self.configuration.is_null() {
            options["configuration"] = self.configuration.clone();
        }
        options
    }

    fn report(&self, result: &SearchResult, results: &Results) -> Result<Exit, Failed> {
        let selection = self.selection;
        let open: Vec<_> = not_covered(&result.coverage)
            .into_iter()
            .filter(|name| {
                highwater_invariants::InvariantId::from_name(name)
                    .is_some_and(|id| selection.contains(id))
            })
            .collect();
        if self.search.json {
            print_json(&json!(result))?;
        } else {
            for scenario in result.scenarios() {
                print(&scenario.picture(scenario.applicable()).coloured_text(width()))?;
            }
            print(&result.text())?;
        }
        Ok(match results.ended {
            Ended::Nondeterministic(difference) => {
                let (sequence, operation) = (difference.sequence, difference.operation);
                crate::cli::output::error(&format!(
                    "two runs of sequence {sequence} of seed {} differ after operation {operation}",
                    self.search.seed
                ));
                Exit::Nondeterministic
            }
            _ if !result.findings.is_empty() => Exit::Violated,
            Ended::Interrupted if interrupt::is_requested() => Exit::Interrupted,
            _ if self.search.require_coverage && !open.is_empty() => {
                crate::cli::output::error(&format!("not tested: {}", open.join(", ")));
                Exit::NotCovered
            }
            _ => Exit::Clean,
        })
    }
}

fn group_result(target: Target, group: &Group) -> GroupResult {
    GroupResult {
        invariant: target.invariant.name().into(),
        kind: target.kind.into(),
        phase: phase_name(target.phase).into(),
        count: group.count,
        first_sequence: group.first_sequence,
        candidates: Vec::new(),
    }
}
