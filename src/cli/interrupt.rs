//! Ctrl-C: the first asks the work to stop and to say what was done so far, the second ends at once.

use crate::cli::Failed;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks the work to stop.
pub(super) fn listen() -> Result<(), Failed> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failed(format!("cannot listen for Ctrl-C: {error}")))
}

/// Whether the work was asked to stop.
pub(super) fn is_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}
