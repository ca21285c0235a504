//! What a search did and found: one structure for JSON files, for the terminal and for merging.

use crate::report::coverage::{coverage_in_short, coverage_text, undecided_in_words};
use crate::scenario::AnyScenario;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// The format of a search's JSON.
pub const SEARCH_FORMAT: &str = "highwater-search/1";

/// A finished search. Only `timing` differs between runs of one seed over the same sequences, and
/// between a whole search and its shards, merged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchResult {
    /// [`SEARCH_FORMAT`].
    pub format: String,
    /// `violated`; `clean` if nothing was found; `interrupted` if nothing was found until it was
    /// stopped; `nondeterministic`.
    pub verdict: String,
    /// The model.
    pub model: String,
    /// The rules that it followed.
    pub variant: String,
    /// The seed.
    pub seed: u64,
    /// What else the sequences depend on: profile, weights, number of operations, invariants.
    pub options: Value,
    /// Which sequences were run: `[start, end)`, in order.
    pub ranges: Vec<[u64; 2]>,
    /// Whether it stopped at violations, as it was asked to, and so would not have gone on to later
    /// sequences. (A search that was interrupted has another verdict and did not stop by itself.)
    pub stopped: bool,
    /// How many sequences were run.
    pub sequences: u64,
    /// How many operations were applied, refused ones included.
    pub operations: u64,
    /// The shortest scenario of each signature.
    pub findings: Vec<FindingResult>,
    /// All violations, by invariant, kind of evidence and phase.
    pub groups: Vec<GroupResult>,
    /// How often everything came up.
    pub coverage: Value,
    /// How long it took; differs from run to run.
    pub timing: Value,
}

/// The shortest scenario of one signature.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingResult {
    /// Invariant, kind of evidence, shape of the operations.
    pub signature: String,
    /// The violated invariant.
    pub invariant: String,
    /// The number of the violating operation, from 1.
    pub operation: usize,
    /// Sequences that violated this invariant by this kind of evidence.
    pub count: u64,
    /// The first sequence that was shrunk to this signature.
    pub sequence: u64,
    /// The scenario file.
    pub file: String,
    /// Its content.
    pub scenario: Value,
}

/// All violations of one invariant by one kind of evidence in one phase.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupResult {
    /// The invariant.
    pub invariant: String,
    /// The kind of evidence.
    pub kind: String,
    /// The phase in which it showed.
    pub phase: String,
    /// How many sequences showed it.
    pub count: u64,
    /// The first of them.
    pub first_sequence: u64,
    /// The ones that showed it soonest, shrunk.
    pub candidates: Vec<CandidateResult>,
}

/// One sequence, shrunk.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateResult {
    /// The number of the violating operation in the sequence as it was drawn.
    pub operation: usize,
    /// The number of the sequence.
    pub sequence: u64,
    /// The signature of what is left of it.
    pub signature: String,
    /// Its scenario file.
    pub file: String,
    /// Its content.
    pub scenario: Value,
}

impl SearchResult {
    /// Which of the sequences that were asked for are missing, in words; `None` if none is, or if
    /// no number was asked for.
    pub fn missing(&self) -> Option<String> {
        let asked_for = self.options["sequences"].as_u64()?;
        if self.stopped || self.sequences >= asked_for {
            return None;
        }
        Some(format!("{} of {asked_for} sequences were run", self.sequences))
    }

    /// Fills in `findings` and `verdict` from `groups`.
    pub fn conclude(&mut self) {
        self.findings = findings_of(&self.groups);
        if !self.findings.is_empty() && self.verdict != "nondeterministic" {
            "violated".clone_into(&mut self.verdict);
        }
    }

    /// The report in words, without the scenarios.
    pub fn text(&self) -> String {
        // Who asked for the first violation wants to see that, not a page of numbers.
        let is_cut_short = self.stopped && self.findings.len() == 1;
        let mut text = if is_cut_short {
            coverage_in_short(&self.coverage, &self.options["invariants"])
        } else {
            coverage_text(&self.coverage)
        };
        for finding in &self.findings {
            let FindingResult { signature, count, file, .. } = finding;
            let times = if *count == 1 { "once".into() } else { format!("in {count} sequences") };
            let file = shell_quoted(file);
            text.push_str(&format!("\nfound {signature} ({times})\n  highwater replay {file}\n"));
        }
        let number = |field: &str| self.timing[field].as_f64().unwrap_or(0.0);
        text.push_str(&format!(
            "\n{}{}: variant {}, seed {}, {} sequences, {} operations in {:.1} s ({:.0} operations/s)\n",
            self.verdict,
            undecided_in_words(&self.coverage),
            self.variant,
            self.seed,
            self.sequences,
            self.operations,
            number("seconds"),
            number("operations_per_second"),
        ));
        text
    }

    /// The scenarios of the findings.
    pub fn scenarios(&self) -> impl Iterator<Item = AnyScenario> {
        self.findings.iter().filter_map(|finding| {
            let text = finding.scenario.to_string();
            AnyScenario::parse(Path::new(&finding.file), text.as_bytes()).ok()
        })
    }
}

/// A path as a shell reads it back.
fn shell_quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// The shortest scenario of each signature, in the order of groups.
fn findings_of(groups: &[GroupResult]) -> Vec<FindingResult> {
    let mut findings: Vec<FindingResult> = Vec::new();
    for group in groups {
        let mut counted = Vec::new();
        for candidate in &group.candidates {
            let new = FindingResult {
                signature: candidate.signature.clone(),
                invariant: group.invariant.clone(),
                operation: candidate.scenario["expect"]["operation"].as_u64().unwrap_or(0) as usize,
                count: group.count,
                sequence: candidate.sequence,
                file: candidate.file.clone(),
                scenario: candidate.scenario.clone(),
            };
            let known = findings.iter_mut().find(|known| known.signature == new.signature);
            let Some(known) = known else {
                counted.push(new.signature.clone());
                findings.push(new);
                continue;
            };
            if !counted.contains(&new.signature) {
                counted.push(new.signature.clone());
                known.count += group.count;
            }
            let sequence = known.sequence.min(new.sequence);
            if size(&new) < size(known) {
                *known = FindingResult { count: known.count, ..new };
            }
            known.sequence = sequence;
        }
    }
    findings
}

fn size(finding: &FindingResult) -> (usize, usize, u64) {
    let operations = finding.scenario["ops"].as_array().map_or(0, Vec::len);
    (operations, finding.operation, finding.scenario["found"]["sequence"].as_u64().unwrap_or(0))
}
