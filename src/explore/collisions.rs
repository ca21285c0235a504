//! How probable it is that two states had the same fingerprint, so that one hid the other.

use crate::explore::table::Table;

/// Two estimates, as TLC gives them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Collisions {
    /// If fingerprints are like random numbers: each of the states that were generated again might
    /// have been another one, with the fingerprint of one of those visited.
    pub calculated: f64,
    /// From the fingerprints themselves: the smallest distance between two of them, as a probability.
    /// Random numbers come about that close; a bad hash comes closer.
    pub actual: f64,
}

impl Collisions {
    /// The estimates for a table after an exploration.
    pub(super) fn of(table: &Table, distinct: u64, generated: u64) -> Self {
        let mut closest = f64::INFINITY;
        let (mut last, mut is_wide) = (None, false);
        for fingerprint in table.iter_sorted() {
            let (high, low) = fingerprint.words();
            is_wide = low != 0;
            // As a fraction of all fingerprints.
            let place = u128::from(high) << 64 | u128::from(low);
            if let Some(last) = last {
                closest = closest.min((place - last) as f64 / 2_f64.powi(128));
            }
            last = Some(place);
        }
        let all = if is_wide { 2_f64.powi(128) } else { 2_f64.powi(64) };
        let again = generated.saturating_sub(distinct) as f64;
        Self {
            calculated: (distinct as f64 * again / all).min(1.0),
            actual: (1.0 / (closest * all)).min(1.0),
        }
    }
}
