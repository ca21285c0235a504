//! Adds up the JSON of several searches as if one machine had run them.

use crate::report::search::{GroupResult, SEARCH_FORMAT, SearchResult};
use crate::search::CANDIDATES_MAX;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Merges shards of one search. They must agree in everything that sequences depend on, and have run
/// different sequences. A shard behind one that stopped at violations is left out, since the whole
/// search would not have come to it.
///
/// # Errors
/// Says what does not fit.
pub fn merge(mut shards: Vec<SearchResult>) -> Result<SearchResult, String> {
    for shard in &shards {
        if shard.format != SEARCH_FORMAT {
            return Err(format!("unknown format {:?}; known is {SEARCH_FORMAT:?}", shard.format));
        }
        require_sound_ranges(shard)?;
    }
    shards.sort_by_key(|shard| shard.ranges.first().copied());
    let mut shards = shards.into_iter();
    let Some(mut whole) = shards.next() else { return Err("there is nothing to merge".into()) };
    for shard in shards {
        require_same_search(&whole, &shard)?;
        if whole.stopped {
            break;
        }
        add(&mut whole, shard)?;
    }
    whole.conclude();
    Ok(whole)
}

/// A damaged file must not turn into a number that looks like a result.
fn require_sound_ranges(shard: &SearchResult) -> Result<(), String> {
    let mut sum = 0_u64;
    for &[start, end] in &shard.ranges {
        let length =
            end.checked_sub(start).ok_or(format!("the range {start} to {end} is backward"))?;
        sum = sum.checked_add(length).ok_or("the ranges are too long")?;
    }
    if sum != shard.sequences {
        return Err(format!("{} sequences in ranges of {sum}: a file is damaged", shard.sequences));
    }
    Ok(())
}

fn require_same_search(one: &SearchResult, other: &SearchResult) -> Result<(), String> {
    let parts = [
        ("model", json!(one.model), json!(other.model)),
        ("variant", json!(one.variant), json!(other.variant)),
        ("seed", json!(one.seed), json!(other.seed)),
        ("options", one.options.clone(), other.options.clone()),
    ];
    for (name, one, other) in parts {
        if one != other {
            return Err(format!("these are not shards of one search: {name} is {one} and {other}"));
        }
    }
    Ok(())
}

fn add(whole: &mut SearchResult, shard: SearchResult) -> Result<(), String> {
    for [start, end] in shard.ranges {
        match whole.ranges.last_mut() {
            Some([_, last]) if *last > start => {
                return Err(format!("sequences {start} to {} are in two shards", end.min(*last)));
            }
            Some([_, last]) if *last == start => *last = end,
            Some([_, last]) => {
                return Err(format!("sequences {last} to {start} are in no shard"));
            }
            None => whole.ranges.push([start, end]),
        }
    }
    whole.stopped = shard.stopped;
    let sum = |one: u64, two: u64| one.checked_add(two).ok_or("a number is too large");
    whole.sequences = sum(whole.sequences, shard.sequences)?;
    whole.operations = sum(whole.operations, shard.operations)?;
    // The gravest verdict is that of the whole.
    let gravity = |verdict: &str| {
        ["clean", "interrupted", "violated", "nondeterministic"]
            .iter()
            .position(|&one| one == verdict)
    };
    if gravity(&shard.verdict) > gravity(&whole.verdict) {
        whole.verdict = shard.verdict;
    }
    whole.groups = merge_groups(std::mem::take(&mut whole.groups), shard.groups);
    add_numbers(&mut whole.coverage, &shard.coverage);
    add_numbers(&mut whole.timing, &shard.timing);
    if let (Some(seconds), operations) = (whole.timing["seconds"].as_f64(), whole.operations) {
        whole.timing["operations_per_second"] = json!(operations as f64 / seconds);
    }
    Ok(())
}

fn merge_groups(one: Vec<GroupResult>, other: Vec<GroupResult>) -> Vec<GroupResult> {
    let mut merged: BTreeMap<_, GroupResult> = BTreeMap::new();
    for group in one.into_iter().chain(other) {
        let place = highwater_invariants::InvariantId::from_name(&group.invariant);
        let key = (place, group.kind.clone(), phase_place(&group.phase));
        match merged.get_mut(&key) {
            None => {
                merged.insert(key, group);
            }
            Some(there) => {
                there.count = there.count.saturating_add(group.count);
                there.first_sequence = there.first_sequence.min(group.first_sequence);
                there.candidates.extend(group.candidates);
                there.candidates.sort_by_key(|one| (one.operation, one.sequence));
                there.candidates.truncate(CANDIDATES_MAX);
            }
        }
    }
    merged.into_values().collect()
}

fn phase_place(phase: &str) -> usize {
    ["operations", "quiescence", "recovery"].iter().position(|&other| other == phase).unwrap_or(3)
}

/// Adds numbers field by field; a field that is only in `other` is taken over.
fn add_numbers(sum: &mut Value, other: &Value) {
    match (sum, other) {
        (Value::Object(sum), Value::Object(other)) => {
            for (name, value) in other {
                if let Some(part) = sum.get_mut(name) {
                    add_numbers(part, value);
                } else {
                    sum.insert(name.clone(), value.clone());
                    sum.sort_keys();
                }
            }
        }
        (sum, other) => {
            if let (Some(one), Some(two)) = (sum.as_u64(), other.as_u64()) {
                *sum = json!(one.saturating_add(two));
            } else if let (Some(one), Some(two)) = (sum.as_f64(), other.as_f64()) {
                *sum = json!(one + two);
            }
        }
    }
}
