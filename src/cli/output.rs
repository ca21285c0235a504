//! Results to stdout, everything else to stderr.

use crate::cli::Failed;
use crate::picture::TEXT_WIDTH;
use serde_json::Value;
use std::io::{ErrorKind, Write};

/// Prints a result. A reader that has gone away is no error.
pub(super) fn print(text: &str) -> Result<(), Failed> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failed(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Wider than any screen.
const WIDTH_MAX: usize = 500;

/// How wide what is printed may be.
pub(super) fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| width.0.into());
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(columns).unwrap_or(TEXT_WIDTH).min(WIDTH_MAX)
}

/// Prints a JSON result.
pub(super) fn print_json(value: &Value) -> Result<(), Failed> {
    print(&format!("{value:#}\n"))
}

/// Says what went wrong.
pub(super) fn error(message: &str) {
    // There is nowhere left to complain to.
    let _ = writeln!(anstream::stderr(), "highwater: {message}");
}
