//! Progress of a search, on stderr and only on a terminal.

use crate::search::Results;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// For a search of at most `sequences`, for at most `duration`.
pub(super) fn of_search(sequences: u64, duration: Option<Duration>) -> ProgressBar {
    if duration.is_some() {
        styled(ProgressBar::new_spinner(), "{spinner} {elapsed} {human_pos} sequences, {msg}")
    } else {
        let bar = ProgressBar::new(sequences);
        styled(bar, "{bar:30} {human_pos} of {human_len} sequences, {msg}, {eta} left")
    }
}

/// For shrinking so many findings.
pub(super) fn of_shrinking(findings: u64) -> ProgressBar {
    styled(ProgressBar::new(findings), "{bar:30} {pos} of {len} findings shrunk")
}

/// What has been done so far.
pub(super) fn show(progress: &ProgressBar, results: &Results, started: Instant) {
    progress.set_position(results.tally.sequences);
    let rate = results.tally.operations as f64 / started.elapsed().as_secs_f64();
    let kinds = results.groups.len();
    let rate = HumanCount(rate as u64);
    progress.set_message(format!("{rate} operations/s, {kinds} kinds of violations"));
}

fn styled(progress: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => progress.with_style(style),
        Err(_) => progress,
    }
}
