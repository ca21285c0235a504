//! Progress of an exploration, on stderr and only on a terminal.

use crate::explore::Progress;
use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Levels that must be done before their growth says anything.
const LEVELS_MIN: usize = 6;

/// A line that says how far an exploration has come.
pub(super) struct Bar {
    bar: ProgressBar,
    started: Instant,
    /// The level, and how many states the one before it had and it has.
    level: (usize, usize, usize),
}

impl Bar {
    pub(super) fn new(started: Instant) -> Self {
        let bar = ProgressBar::new_spinner();
        let bar = match ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, started, level: (0, 1, 1) }
    }

    pub(super) fn show(&mut self, done: Progress) {
        let seconds = self.started.elapsed().as_secs_f64();
        let (level, _, frontier) = self.level;
        if level != done.level {
            self.level = (done.level, frontier, done.frontier);
        }
        let (_, before, _) = self.level;
        let rate = done.distinct as f64 / seconds;
        self.bar.set_message(format!(
            "level {}, {} of {} expanded; {} states, {} generated, {}/s; table {:.0} % full, {}{}",
            done.level,
            HumanCount(done.expanded as u64),
            HumanCount(done.frontier as u64),
            HumanCount(done.distinct),
            HumanCount(done.generated),
            HumanCount(rate as u64),
            done.load * 100.0,
            HumanBytes(done.bytes as u64),
            estimate(done, before, rate)
        ));
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// How long it may still take, once levels shrink: if each goes on to be smaller by the same factor.
fn estimate(done: Progress, before: usize, rate: f64) -> String {
    let factor = done.frontier as f64 / before.max(1) as f64;
    if done.level < LEVELS_MIN || factor >= 0.9 {
        return String::new();
    }
    let left = done.frontier as f64 * factor / (1.0 - factor);
    let left = Duration::from_secs_f64(left / rate.max(1.0));
    format!("; about {} left", HumanDuration(left))
}
