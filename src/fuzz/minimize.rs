//! A corpus made small: few inputs, short ones, that together cover what all of them did.

use crate::fuzz::{Coverage, Feature};
use crate::scenario::fuzz_input::FuzzInput;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Picks inputs that together cover all that `inputs` cover, and takes out of each the operations
/// that add nothing. The result depends on the set of inputs alone, not on their order.
pub fn minimize(inputs: &[FuzzInput]) -> Vec<FuzzInput> {
    let covered = |input: &FuzzInput| Coverage::of(input).features;
    let mut candidates: Vec<_> =
        inputs.par_iter().map(|input| (covered(input), input.clone())).collect();
    // Where two add as much, the shorter one is taken, then the one whose bytes come first.
    candidates.sort_by_cached_key(|(_, input)| {
        let bytes = input.encode().unwrap_or_default();
        (bytes.len(), bytes)
    });
    let mut picked = pick(candidates);
    trim(&mut picked);
    picked.into_iter().map(|(_, input)| input).collect()
}

type Covering = (BTreeSet<Feature>, FuzzInput);

/// Takes what adds most, again and again, until nothing adds anything.
fn pick(mut candidates: Vec<Covering>) -> Vec<Covering> {
    let mut covered = BTreeSet::new();
    let mut picked = Vec::new();
    loop {
        candidates.retain_mut(|(features, _)| !features.is_subset(&covered));
        let adds = |(features, _): &Covering| features.difference(&covered).count();
        let counts: Vec<_> = candidates.par_iter().map(adds).collect();
        let Some(most) = counts.iter().max() else {
            return picked;
        };
        let first = counts.iter().position(|count| count == most).unwrap_or_default();
        let (features, input) = candidates.remove(first);
        covered.extend(features.iter().copied());
        picked.push((features, input));
    }
}

/// Takes operations out of each input for as long as all inputs together cover the same. An input
/// that is no longer needed goes.
fn trim(picked: &mut Vec<Covering>) {
    let mut times: BTreeMap<Feature, usize> = BTreeMap::new();
    for feature in picked.iter().flat_map(|(features, _)| features) {
        *times.entry(*feature).or_default() += 1;
    }
    picked.retain_mut(|(features, input)| {
        let needed: BTreeSet<_> =
            features.iter().copied().filter(|feature| times[feature] == 1).collect();
        for feature in features.iter() {
            *times.entry(*feature).or_default() -= 1;
        }
        if needed.is_empty() {
            return false;
        }
        *input = shortened(input, &needed);
        *features = Coverage::of(input).features;
        for feature in features.iter() {
            *times.entry(*feature).or_default() += 1;
        }
        true
    });
}

/// The input without operations that it does not need to cover `needed`.
fn shortened(input: &FuzzInput, needed: &BTreeSet<Feature>) -> FuzzInput {
    let mut best = input.clone();
    let mut length = best.operations.len().div_ceil(2);
    while length > 0 {
        let mut start = 0;
        while start < best.operations.len() {
            let mut shorter = best.clone();
            let end = shorter.operations.len().min(start + length);
            shorter.operations.drain(start..end);
            if needed.is_subset(&Coverage::of(&shorter).features) {
                best = shorter;
            } else {
                start += length;
            }
        }
        length /= 2;
    }
    best
}
