//! What a search covered: what was generated and refused, which premises came up, which branches of
//! the protocol were reached.

use crate::model::Model;
use crate::search::Tally;
use highwater_invariants::Selection;
use serde_json::{Map, Value, json};

/// How often everything came up, in a model that the invariants of `applicable` speak of. Every
/// number adds up over shards.
pub fn coverage_json<M: Model>(tally: &Tally, applicable: Selection) -> Value {
    let outcomes = M::OUTCOMES.len();
    let operations = M::KINDS.iter().enumerate().map(|(kind, name)| {
        let counts = &tally.outcomes[kind * outcomes..(kind + 1) * outcomes];
        let answers = M::OUTCOMES.iter().zip(counts).filter(|&(_, &count)| count > 0);
        let answers = answers.map(|(name, &count)| ((*name).to_owned(), json!(count)));
        let is_refusal = |name: &str| name.contains("refused");
        let sum = |refused| {
            let counts = M::OUTCOMES.iter().zip(counts);
            counts
                .filter(|(name, _)| is_refusal(name) == refused)
                .map(|(_, count)| count)
                .sum::<u64>()
        };
        let mut answers: Map<_, _> = answers.collect();
        answers.sort_keys();
        let counts = json!({
            "generated": sum(true) + sum(false),
            "applied": sum(false),
            "refused": sum(true),
            "answers": answers,
        });
        ((*name).to_owned(), counts)
    });
    let invariants = applicable.iter().map(|invariant| {
        let index = invariant as usize;
        let counts = json!({
            "tested": tally.tested[index],
            "violated_sequences": tally.violated[index],
            "undecided_sequences": tally.undecided[index],
        });
        (invariant.name().to_owned(), counts)
    });
    let branches = M::BRANCHES.iter().zip(tally.branches);
    let branches = branches.map(|(name, count)| ((*name).to_owned(), json!(count)));
    json!({
        "operations": operations.collect::<Map<_, _>>(),
        "invariants": invariants.collect::<Map<_, _>>(),
        "branches": branches.collect::<Map<_, _>>(),
        "halted_sequences": tally.halted,
    })
}

/// Coverage on one line, or two: what was asked for and not tested cannot be missed.
pub fn coverage_in_short(coverage: &Value, asked_for: &Value) -> String {
    let reached = fields(&coverage["branches"]).filter(|(_, count)| count.as_u64() != Some(0));
    let (reached, all) = (reached.count(), fields(&coverage["branches"]).count());
    let open = not_covered(coverage);
    let tested = fields(&coverage["invariants"]).count() - open.len();
    let asked_for = asked_for.as_array().filter(|names| !names.is_empty());
    let is_asked_for = |name: &String| {
        asked_for.is_none_or(|names| names.iter().any(|other| other == name.as_str()))
    };
    let open: Vec<_> = open.into_iter().filter(is_asked_for).collect();
    let mut text = format!("\n{tested} invariants tested");
    if all > 0 {
        text.push_str(&format!(", {reached} of {all} branches of the protocol reached"));
    }
    text.push('\n');
    if !open.is_empty() {
        text.push_str(&format!("NOT TESTED: {}\n", open.join(", ")));
    }
    text
}

/// Coverage in words. What was not tested cannot be missed.
pub fn coverage_text(coverage: &Value) -> String {
    let mut text =
        String::from("\noperations              generated    applied    refused   why\n");
    for (name, counts) in fields(&coverage["operations"]) {
        let count = |field: &str| counts[field].as_u64().unwrap_or(0);
        let (generated, applied, refused) =
            (count("generated"), count("applied"), count("refused"));
        text.push_str(&format!("  {name:<20} {generated:>10} {applied:>10} {refused:>10}"));
        let why = fields(&counts["answers"]).filter_map(|(answer, count)| {
            let (_, reason) = answer.split_once("refused")?;
            Some(format!("{} {count}", reason.trim_start_matches([':', ' '])))
        });
        let why: Vec<_> = why.collect();
        let why = if why.is_empty() { String::new() } else { format!("   {}", why.join(", ")) };
        text.push_str(&format!("{why}\n"));
    }
    text.push_str("\ninvariants                         tested   violated in sequences\n");
    for (name, counts) in fields(&coverage["invariants"]) {
        let count = |field: &str| counts[field].as_u64().unwrap_or(0);
        let (tested, violated, undecided) =
            (count("tested"), count("violated_sequences"), count("undecided_sequences"));
        let tested = if tested == 0 { "NOT TESTED".to_owned() } else { tested.to_string() };
        text.push_str(&format!("  {name:<28} {tested:>10} {violated:>10}"));
        if undecided > 0 {
            text.push_str(&format!("   UNDECIDED in {undecided} (a limit of the checker)"));
        }
        text.push('\n');
    }
    let (reached, missed): (Vec<_>, Vec<_>) =
        fields(&coverage["branches"]).partition(|(_, count)| count.as_u64() != Some(0));
    let all = reached.len() + missed.len();
    if all > 0 {
        text.push_str(&format!("\nbranches of the protocol reached: {} of {all}\n", reached.len()));
    }
    for (name, _) in missed {
        text.push_str(&format!("  never reached: {name}\n"));
    }
    text
}

/// What a verdict must not be read without: which invariants the checker gave up on somewhere.
pub(super) fn undecided_in_words(coverage: &Value) -> String {
    let gave_up = |counts: &Value| counts["undecided_sequences"].as_u64() != Some(0);
    let invariants = fields(&coverage["invariants"]).filter(|(_, counts)| gave_up(counts));
    let names: Vec<_> = invariants.map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" (but UNDECIDED in some sequences: {})", names.join(", "))
}

/// Names of invariants whose premise never came up, or that the checker gave up on.
pub fn not_covered(coverage: &Value) -> Vec<String> {
    let is_open = |counts: &Value| {
        counts["tested"].as_u64() == Some(0) || counts["undecided_sequences"].as_u64() != Some(0)
    };
    let invariants = fields(&coverage["invariants"]);
    invariants.filter(|(_, counts)| is_open(counts)).map(|(name, _)| name.clone()).collect()
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
