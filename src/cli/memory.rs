//! How much memory an exploration may use: said before it starts, not by being killed.

use crate::cli::Failed;
use bytesize::ByteSize;
use sysinfo::System;

/// The bytes for visited states: those that were asked for, if there are so many, else three
/// quarters of those that are available.
pub(super) fn budget(asked_for: Option<ByteSize>) -> Result<usize, Failed> {
    let available = available();
    let budget = match (asked_for, available) {
        (Some(ByteSize(asked_for)), Some(available)) if asked_for > available => {
            return Err(Failed(format!(
                "--max-memory: {} is more than the {} that are available; give less, or \
                 --max-states",
                ByteSize(asked_for).display(),
                ByteSize(available).display()
            )));
        }
        (Some(ByteSize(asked_for)), _) => asked_for,
        (None, Some(available)) => available / 4 * 3,
        (None, None) => u64::MAX,
    };
    Ok(usize::try_from(budget).unwrap_or(usize::MAX))
}

/// The bytes that this process could still get. `None` if the system does not say.
fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let of_machine = system.available_memory();
    let of_group = system.cgroup_limits().map(|limits| limits.free_memory);
    let available =
        of_group.filter(|&bytes| bytes > 0).map_or(of_machine, |bytes| bytes.min(of_machine));
    (available > 0).then_some(available)
}
