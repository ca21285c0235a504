//! `highwater search`: many generated sequences in parallel, what they violate shrunk.

mod progress;

use crate::cli::certify::CertifyOptions;
use crate::cli::options::{InvariantOptions, ModelOptions, require_writable, thread_pool};
use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed, interrupt, parse};
use crate::explore::Counterexample;
use crate::isr::{IsrModel, Rules};
use crate::model::Model;
use crate::report::{
    self, CandidateResult, Finding, GroupResult, SEARCH_FORMAT, SearchResult, coverage_json,
    not_covered,
};
use crate::scenario::generate::{Generator, Profile};
use crate::scenario::{Found, phase_name};
use crate::search::shrink::Target;
use crate::search::{Campaign, Ended, Group, Groups, Results, Shrunk, Stop, next_stop, shrink_all};
use clap::Args;
use highwater_invariants::Selection;
use serde_json::json;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Sequences of a search that is given no number and no time.
const DEFAULT_SEQUENCES: u64 = 1_000_000;

/// Search for violations with generated sequences of operations and faults
#[derive(Args, Debug)]
#[command(after_help = "\
Stops after the first round of sequences in which an invariant is violated, shrinks what showed it
soonest, writes it as a scenario file and shows it; with --keep-going it goes on to the end and
reports every kind of violation. The result depends on the seed only, not on threads or time (unless
--for or --shrink-for ends it). A search that finds nothing has exhausted nothing: it says how much
it ran, and an invariant whose premise never came up is NOT TESTED.

Exit code 0 if nothing was found, 1 if something was, 3 if --require-coverage is not met, 4 if
--check-determinism found a difference, 130 if Ctrl-C came before anything was found.

Examples:
  highwater search
  highwater search --keep-going --for 60s
  highwater search --certify
  highwater search --seed 7 --sequences 1000000 --threads 2 --invariant acked-durability
  highwater search --profile power-loss --weights fsync=9,read=0 --ops 5..100
  highwater search --keep-going --shard 1/8 --json > shard-1.json")]
pub(super) struct Search {
    #[command(flatten)]
    model: ModelOptions,

    /// The seed of all sequences, or `random` for a fresh one, which is printed
    #[arg(long, default_value = "0", value_name = "S", value_parser = parse::seed, allow_negative_numbers = true)]
    seed: u64,

    /// How many sequences at most [default: 1000000, or no limit with --for]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    sequences: Option<u64>,

    /// How long at most, as in 90s, 10m, 2h
    #[arg(long = "for", value_name = "DURATION", value_parser = humantime::parse_duration)]
    duration: Option<Duration>,

    /// Go on after the first violation, and report every kind
    #[arg(long)]
    keep_going: bool,

    /// Go on until there are so many kinds of violations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_findings: Option<u32>,

    /// Shrink for so long at most, and report the best so far
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    shrink_for: Option<Duration>,

    #[command(flatten)]
    certify: CertifyOptions,

    /// How many threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Run only the i-th of n parts of the sequences, as in 2/8
    #[arg(long, value_name = "I/N", value_parser = parse::shard)]
    shard: Option<(u64, u64)>,

    /// How many operations a sequence has, both ends included
    #[arg(long = "ops", default_value = "5..40", value_name = "MIN..MAX", value_parser = parse::range)]
    operations: RangeInclusive<u32>,

    /// Which mix of operations [default: each sequence draws its own]; see `highwater list profiles`
    #[arg(long, value_parser = parse::profile)]
    profile: Option<Profile>,

    /// Weights that replace the profile's, as in crash=9,read=0; see `highwater list operations`
    #[arg(long, value_name = "OPERATION=N[,...]", value_delimiter = ',', value_parser = parse::weight)]
    weights: Vec<(usize, u32)>,

    #[command(flatten)]
    invariants: InvariantOptions,

    /// Exit with 3 if some checked invariant is not tested
    #[arg(long)]
    require_coverage: bool,

    /// Run everything twice and compare state fingerprints after every operation
    #[arg(long)]
    check_determinism: bool,

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
        self.require_weights()?;
        let range = self.range()?;
        require_writable(&self.out)?;
        interrupt::listen()?;
        let pool = thread_pool(self.threads)?;
        let model = IsrModel::default();
        let source = Generator {
            profile: self.profile,
            overrides: self.weights.clone(),
            rules: self.model.rules()?,
            operations: self.operations.clone(),
        };
        let campaign = Campaign {
            model: &model,
            source: &source,
            seed: self.seed,
            range,
            selection,
            stop: self.stop(),
            check_determinism: self.check_determinism,
        };
        let started = Instant::now();
        let results = pool.install(|| self.search(&campaign, started));
        let searched = started.elapsed();
        if results.tally.operations == 0 {
            let seed = self.seed;
            return Err(Failed(format!(
                "seed {seed}: stopped before a single sequence was run; is --for too short?"
            )));
        }
        let groups =
            if self.keeps_going() { results.groups.clone() } else { results.groups.soonest() };
        let mut shrunk = pool.install(|| self.shrink(model, &source, &groups))?;
        let certificates = pool.install(|| self.certify_all(&mut shrunk))?;
        let (groups, unsaved) = self.save(&groups, &shrunk)?;
        let result = self.result(&results, groups, searched, source.rules);
        let exit = self.report(&result, &results, selection)?;
        if !self.json {
            print(&certificates)?;
        }
        // What was found is shown even if it cannot be kept.
        unsaved.map_or(Ok(exit), Err)
    }

    fn require_weights(&self) -> Result<(), Failed> {
        for (index, &(kind, _)) in self.weights.iter().enumerate() {
            if self.weights[..index].iter().any(|&(other, _)| other == kind) {
                let name = IsrModel::KINDS[kind];
                return Err(Failed(format!("--weights: {name} is given twice")));
            }
        }
        let is_silent = self.weights.len() == IsrModel::KINDS.len()
            && self.weights.iter().all(|&(_, weight)| weight == 0);
        if is_silent {
            return Err(Failed("--weights: all weights are 0".into()));
        }
        Ok(())
    }

    fn range(&self) -> Result<Range<u64>, Failed> {
        let unlimited = if self.duration.is_some() { u64::MAX } else { DEFAULT_SEQUENCES };
        let sequences = self.sequences.unwrap_or(unlimited);
        let (shard, shards) = self.shard.unwrap_or((1, 1));
        let part = |number: u64| {
            let end = (u128::from(sequences) * u128::from(number) / u128::from(shards)) as u64;
            // A search that may stop early is cut where the whole search might stop.
            let is_inside = number < shards && self.stop() != Stop::AtEnd;
            if is_inside { next_stop(end).min(sequences) } else { end }
        };
        let range = part(shard - 1)..part(shard);
        if range.is_empty() {
            let which = match self.shard {
                None => String::new(),
                Some(_) => format!("shard {shard} of {shards} of "),
            };
            return Err(Failed(format!(
                "{which}{sequences} sequences: a search that runs nothing says nothing"
            )));
        }
        Ok(range)
    }

    fn keeps_going(&self) -> bool {
        self.keep_going || self.max_findings.is_some()
    }

    fn stop(&self) -> Stop {
        match self.max_findings {
            Some(kinds) => Stop::AtKinds(kinds as usize),
            None if self.keep_going => Stop::AtEnd,
            None => Stop::AtFirstViolation,
        }
    }

    fn search(&self, campaign: &Campaign<'_, IsrModel, Generator>, started: Instant) -> Results {
        let number = campaign.range.end - campaign.range.start;
        let progress = progress::of_search(number, self.duration);
        let is_in_time = || self.duration.is_none_or(|limit| started.elapsed() < limit);
        let results = campaign.run(
            || !interrupt::is_requested() && is_in_time(),
            |results| progress::show(&progress, results, started),
        );
        progress.finish_and_clear();
        results
    }

    fn shrink(
        &self,
        model: IsrModel,
        source: &Generator,
        groups: &Groups,
    ) -> Result<Vec<Shrunk<IsrModel>>, Failed> {
        let number = groups.iter().map(|(_, group)| group.candidates.len()).sum::<usize>();
        let progress = progress::of_shrinking(number as u64);
        let started = Instant::now();
        let is_in_time = || self.shrink_for.is_none_or(|limit| started.elapsed() < limit);
        let shrunk = shrink_all(&model, source, self.seed, groups, is_in_time, || progress.inc(1));
        progress.finish_and_clear();
        shrunk.map_err(|(target, candidate)| {
            let (invariant, sequence) = (target.invariant.name(), candidate.sequence);
            Failed(format!(
                "the violation of {invariant} in sequence {sequence} of seed {} did not show again: \
                 this is a bug of highwater",
                self.seed
            ))
        })
    }

    /// Puts the shortest scenarios in place of those that are longer. What is known of each, a line
    /// for every scenario.
    fn certify_all(&self, shrunk: &mut [Shrunk<IsrModel>]) -> Result<String, Failed> {
        let mut text = String::new();
        for one in shrunk {
            let case = &mut one.case;
            let certified =
                self.certify.certify(&case.settings, &case.operations, &case.failure)?;
            let Some(certified) = certified else { continue };
            text.push_str(&format!("{}\n", certified.statement));
            if let Some(Counterexample { operations, failure }) = certified.shorter {
                (case.operations, case.failure) = (operations, failure);
            }
        }
        Ok(text)
    }

    /// Writes every shrunk scenario, and puts it into its group.
    fn save(
        &self,
        groups: &Groups,
        shrunk: &[Shrunk<IsrModel>],
    ) -> Result<(Vec<GroupResult>, Option<Failed>), Failed> {
        let (mut results, mut unsaved) = (Vec::new(), None);
        for (target, group) in groups.iter() {
            let mut result = group_result(target, group);
            for one in shrunk.iter().filter(|one| one.target == target) {
                let found = Found { seed: self.seed, sequence: one.candidate.sequence };
                let finding = Finding::new(&one.case, Some(found));
                let file = finding.save(&self.out).unwrap_or_else(|error| {
                    let file = self.out.join(finding.file_name());
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
        rules: Rules,
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
            model: IsrModel::NAME.into(),
            variant: rules.to_string(),
            seed: self.seed,
            options: json!({
                "profile": self.profile.map(Profile::name),
                "weights": self.weights.iter().map(|&(kind, weight)| json!([IsrModel::KINDS[kind], weight])).collect::<Vec<_>>(),
                "ops": [self.operations.start(), self.operations.end()],
                "invariants": self.invariants.names(),
                "keep_going": self.keep_going,
                "max_findings": self.max_findings,
                "sequences": self.sequences.or(self.duration.is_none().then_some(DEFAULT_SEQUENCES)),
            }),
            ranges: vec![[results.range.start, results.range.end]],
            stopped: results.ended == Ended::Stopped,
            sequences: results.tally.sequences,
            operations,
            findings: Vec::new(),
            groups,
            coverage: coverage_json(&results.tally),
            timing: json!({"seconds": seconds, "operations_per_second": operations as f64 / seconds}),
        };
        result.conclude();
        result
    }

    fn report(
        &self,
        result: &SearchResult,
        results: &Results,
        selection: Selection,
    ) -> Result<Exit, Failed> {
        let open: Vec<_> = not_covered(&result.coverage)
            .into_iter()
            .filter(|name| {
                highwater_invariants::InvariantId::from_name(name)
                    .is_some_and(|id| selection.contains(id))
            })
            .collect();
        if self.json {
            print_json(&json!(result))?;
        } else {
            for scenario in result.scenarios() {
                print(&report::Replay::of(&scenario, Selection::ALL).text())?;
            }
            print(&result.text())?;
        }
        Ok(match results.ended {
            Ended::Nondeterministic(difference) => {
                let (sequence, operation) = (difference.sequence, difference.operation);
                crate::cli::output::error(&format!(
                    "two runs of sequence {sequence} of seed {} differ after operation {operation}",
                    self.seed
                ));
                Exit::Nondeterministic
            }
            _ if !result.findings.is_empty() => Exit::Violated,
            Ended::Interrupted if interrupt::is_requested() => Exit::Interrupted,
            _ if self.require_coverage && !open.is_empty() => {
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
