//! What a nightly run did and found: one structure for JSON, for the Markdown summary and for adding
//! up shards.

use crate::picture::{Picture, TEXT_WIDTH};
use crate::report::coverage::{coverage_text, not_covered};
use crate::report::{Finding, operation_in_words};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The format of a nightly run's JSON.
pub const NIGHTLY_FORMAT: &str = "highwater-nightly/1";

/// The most shards of a run.
const SHARDS_MAX: u64 = 1_000;

/// A finished nightly run, or several shards of one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NightlyResult {
    /// [`NIGHTLY_FORMAT`].
    pub format: String,
    /// `violated` if there are findings; `interrupted`; `incomplete` if something that should have
    /// run did not; else `clean`.
    pub verdict: String,
    /// The rules that were searched.
    pub variant: String,
    /// The seed of all sequences.
    pub seed: u64,
    /// Which shards of how many.
    pub shards: Vec<[u64; 2]>,
    /// What ran, in order, shard by shard.
    pub stages: Vec<Stage>,
    /// One per signature.
    pub findings: Vec<NightlyFinding>,
    /// What the searches covered, a shard each.
    pub coverage: Vec<Value>,
}

/// How a stage ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// It ran to its end.
    Ran,
    /// It was left out, as it was asked for.
    LeftOut,
    /// It should have run and did not, or not to its end.
    NotRun,
    /// The user stopped it.
    Interrupted,
}

/// A part of a nightly run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its name, as in `search calm`.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
    /// What it did, or why it did nothing.
    pub did: String,
    /// How long it took; differs from run to run.
    pub seconds: f64,
}

/// Something that must not be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NightlyFinding {
    /// What it is known by from night to night.
    pub signature: String,
    /// The stage that found what is shown here: the fewest operations.
    pub stage: String,
    /// How often it was met, by all stages.
    pub count: u64,
    /// The violated invariant, if it is a violation.
    pub invariant: Option<String>,
    /// The operations that show it, in words.
    pub operations: Vec<String>,
    /// What happened, for people.
    pub explanation: String,
    /// The file that shows it.
    pub file: Option<String>,
    /// The page that shows it step by step, as a link from the summary.
    #[serde(default)]
    pub page: Option<String>,
    /// The scenario in that file, if it is one.
    pub scenario: Option<Value>,
    /// The command that shows it again.
    pub command: Option<String>,
}

impl NightlyFinding {
    /// A shrunk violation, which is in `file`. It is known by its invariant and kind of evidence:
    /// the shapes that one bug shrinks to are many.
    pub fn of(finding: &Finding, file: &str, stage: &str, count: u64) -> Self {
        let scenario = &finding.scenario;
        let words = |&operation: &_| operation_in_words(operation, &scenario.names);
        Self {
            signature: finding.kind_of_violation(),
            stage: stage.into(),
            count,
            invariant: Some(finding.invariant.name().into()),
            operations: scenario.operations.iter().map(words).collect(),
            explanation: Picture::of_scenario(scenario).text_of_the_expected(TEXT_WIDTH),
            file: Some(file.into()),
            page: None,
            // What was written by hand is JSON.
            scenario: serde_json::from_str(&scenario.to_json()).ok(),
            command: Some(format!("highwater replay {file}")),
        }
    }

    /// Something that no scenario shows.
    pub fn other(signature: String, stage: &str, explanation: String) -> Self {
        Self {
            signature,
            stage: stage.into(),
            count: 1,
            invariant: None,
            operations: Vec::new(),
            explanation,
            file: None,
            page: None,
            scenario: None,
            command: None,
        }
    }
}

impl NightlyResult {
    /// Keeps one finding per signature, the one with the fewest operations, and says what all of it
    /// amounts to.
    pub fn conclude(&mut self) {
        let mut shortest: BTreeMap<String, NightlyFinding> = BTreeMap::new();
        for finding in std::mem::take(&mut self.findings) {
            let signature = finding.signature.clone();
            match shortest.get_mut(&signature) {
                None => drop(shortest.insert(signature, finding)),
                Some(known) => {
                    let count = known.count + finding.count;
                    if finding.operations.len() < known.operations.len() {
                        *known = finding;
                    }
                    known.count = count;
                }
            }
        }
        self.findings = shortest.into_values().collect();
        let ended = |ending| self.stages.iter().any(|stage| stage.ending == ending);
        self.verdict = if !self.findings.is_empty() {
            "violated"
        } else if ended(Ending::Interrupted) {
            "interrupted"
        } else if ended(Ending::NotRun) || !self.not_covered().is_empty() {
            "incomplete"
        } else {
            "clean"
        }
        .into();
    }

    /// The shards of one nightly run, put together.
    ///
    /// # Errors
    /// They are of different runs, or one is there twice.
    pub fn merge(results: Vec<Self>) -> Result<Self, String> {
        let mut results = results.into_iter();
        let mut whole = results.next().ok_or("nothing to put together")?;
        for mut other in results {
            let fits = |one: &Self| (one.variant.clone(), one.seed, one.shards[0][1]);
            if fits(&whole) != fits(&other) {
                return Err(
                    "the files are of different nightly runs: variant, seed and number of \
                            shards must be the same"
                        .into(),
                );
            }
            if let Some([shard, _]) = other.shards.iter().find(|one| whole.shards.contains(one)) {
                return Err(format!("shard {shard} is there twice"));
            }
            whole.shards.append(&mut other.shards);
            whole.stages.append(&mut other.stages);
            whole.findings.append(&mut other.findings);
            whole.coverage.append(&mut other.coverage);
        }
        let all = whole.shards[0][1];
        for shard in (1..=all).filter(|&shard| !whole.shards.contains(&[shard, all])) {
            whole.stages.push(Stage {
                name: format!("shard {shard}/{all}"),
                ending: Ending::NotRun,
                did: "its summary is missing".into(),
                seconds: 0.0,
            });
        }
        whole.conclude();
        Ok(whole)
    }

    /// What no run can have left behind, if there is such a thing: the field, and why.
    pub fn nonsense(&self) -> Option<(&'static str, &'static str)> {
        let is_shard = |&[shard, of]: &[u64; 2]| 1 <= shard && shard <= of && of <= SHARDS_MAX;
        if self.shards.is_empty() || !self.shards.iter().all(is_shard) {
            return Some(("shards", "shards are [I, N] with I from 1 to N, at most 1,000"));
        }
        if self.stages.is_empty() {
            return Some(("stages", "a run has stages"));
        }
        if self.coverage.is_empty() {
            return Some(("coverage", "a run has covered something, or says that it has not"));
        }
        None
    }

    /// Invariants that some shard's searches did not test, or gave up on.
    pub fn not_covered(&self) -> Vec<String> {
        let mut open: Vec<_> = self.coverage.iter().flat_map(not_covered).collect();
        open.sort();
        open.dedup();
        open
    }

    /// The summary, as Markdown.
    pub fn markdown(&self) -> String {
        let shards = self.shards.iter().map(|[shard, of]| format!("{shard}/{of}"));
        let shards: Vec<_> = shards.collect();
        let mut text = format!(
            "# Highwater nightly: {}\n\nVariant `{}`, seed {}, shard {}.\n\n",
            self.verdict,
            self.variant,
            self.seed,
            shards.join(", ")
        );
        text.push_str("| stage | | what it did | time |\n|---|---|---|---|\n");
        for stage in &self.stages {
            let ending = match stage.ending {
                Ending::Ran => "ran",
                Ending::LeftOut => "left out",
                Ending::NotRun => "**NOT RUN**",
                Ending::Interrupted => "**interrupted**",
            };
            let did = stage.did.replace('|', "\\|").replace('\n', " ");
            let Stage { name, seconds, .. } = stage;
            text.push_str(&format!("| {name} | {ending} | {did} | {seconds:.1} s |\n"));
        }
        let open = self.not_covered();
        if !open.is_empty() {
            text.push_str(&format!("\n**NOT TESTED** by the searches: {}\n", open.join(", ")));
        }
        let number = self.findings.len();
        if number == 0 {
            text.push_str("\nNo findings.\n");
        } else {
            text.push_str(&format!("\n## {number} findings\n"));
        }
        for finding in &self.findings {
            text.push_str(&format!("\n### {}\n\n{}", finding.signature, finding.markdown()));
        }
        for coverage in &self.coverage {
            text.push_str(&format!(
                "\n<details><summary>What the searches covered</summary>\n\n```text\n{}\n```\n\n</details>\n",
                coverage_text(coverage).trim_end()
            ));
        }
        text
    }
}

impl NightlyFinding {
    /// What is to be said about it, as Markdown: what happened, and how to see it again.
    pub fn markdown(&self) -> String {
        let times = if self.count == 1 { "once".into() } else { format!("{} times", self.count) };
        let mut text = format!("Met {times}; this is from the stage `{}`.\n\n", self.stage);
        text.push_str(&fenced("text", self.explanation.trim()));
        if let Some(page) = &self.page {
            text.push_str(&format!("\nStep by step, in a browser: [{page}]({page})\n"));
        }
        if let Some(command) = &self.command {
            text.push_str(&format!("\nTo see it again:\n\n{}", fenced("sh", command)));
        }
        text
    }

    /// The same with the scenario, for where its file cannot be seen.
    pub fn markdown_with_scenario(&self) -> String {
        let mut text = self.markdown();
        if let Some(scenario) = &self.scenario {
            let scenario = format!("{scenario:#}");
            text.push_str(&format!("\nThe scenario:\n\n{}", fenced("json", &scenario)));
        }
        text
    }
}

/// A code block that `content` cannot end.
fn fenced(language: &str, content: &str) -> String {
    let longest = content.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{content}\n{fence}\n")
}
