//! Results to stdout, everything else to stderr.

use crate::cli::Failed;
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

/// Prints a JSON result.
pub(super) fn print_json(value: &Value) -> Result<(), Failed> {
    print(&format!("{value:#}\n"))
}

/// Says what went wrong.
pub(super) fn error(message: &str) {
    // There is nowhere left to complain to.
    let _ = writeln!(anstream::stderr(), "highwater: {message}");
}
