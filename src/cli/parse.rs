//! Values of options.

use crate::scenario::generate::Profile;
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

/// A number, or `random`: then from the entropy that the standard library keys its hashers with.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    if text == "random" {
        return Ok(RandomState::new().hash_one(0));
    }
    text.parse()
        .map_err(|error| format!("{error}; a seed is a number from 0 to {}, or `random`", u64::MAX))
}

/// `MIN..MAX`, both ends included.
pub(super) fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let parse = |part: &str| part.parse::<u32>().map_err(|error| format!("{part:?}: {error}"));
    let (min, max) = text.split_once("..").ok_or("give a range, as in 5..40")?;
    let (min, max) = (parse(min)?, parse(max.trim_start_matches('='))?);
    if min == 0 || min > max || max > 10_000 {
        return Err(format!(
            "{min}..{max}: a sequence has 1 to 10,000 operations, MIN at most MAX"
        ));
    }
    Ok(min..=max)
}

/// `I/N`, I from 1 to N.
pub(super) fn shard(text: &str) -> Result<(u64, u64), String> {
    let usage = || format!("{text:?}: give a shard as I/N with I from 1 to N, as in 2/8");
    let (shard, shards) = text.split_once('/').ok_or_else(usage)?;
    let (shard, shards): (u64, u64) =
        (shard.parse().map_err(|_| usage())?, shards.parse().map_err(|_| usage())?);
    if shard == 0 || shard > shards { Err(usage()) } else { Ok((shard, shards)) }
}

/// The name of a profile.
pub(super) fn profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| {
        format!("unknown profile; known are {}", Profile::ALL.map(Profile::name).join(", "))
    })
}

/// `OPERATION=N`: the name of an operation's kind, and its weight.
pub(super) fn weight(text: &str) -> Result<(String, u32), String> {
    let (name, weight) = text.split_once('=').ok_or("give a weight as OPERATION=N")?;
    let weight: u32 = weight.parse().map_err(|error| format!("{weight:?}: {error}"))?;
    if weight > 1_000_000 {
        return Err(format!("{weight} is more than 1,000,000"));
    }
    Ok((name.to_owned(), weight))
}
