//! The kernel: a logical clock, a deterministic scheduler, a network and a trace.
//!
//! It knows nothing of replication (PROTOCOL.md section 1): payloads are whatever a model sends.

mod clock;
mod network;
mod network_faults;
mod scheduler;
mod trace;

pub use clock::Tick;
pub use network::{Arrival, Message, MessageId, Network};
pub use scheduler::{Due, Scheduler};
pub use trace::{DropReason, KernelEvent, KernelTrace, Untraced};
