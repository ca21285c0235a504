//! Kafka's replication as its published TLA+ specifications describe it, step by step: from truncating
//! to the high watermark to KIP-320.
//!
//! The specifications are `KafkaTruncateToHighWatermark`, `Kip101`, `Kip279`, `Kip320FirstTry` and
//! `Kip320` in the public repository `hachikuji/kafka-specification`. There is one state and one set
//! of steps; what tells the five apart is a few [`Rules`]. The number of states, the depth and the
//! shortest counterexamples are those that TLC finds (`tests/kip.rs`).
//!
//! Unlike [`crate::isr`] this is a model of atomic steps: no messages, no time, no clients that wait.
//! A controller changes leader and ISR and sends what it decided to all replicas; each may learn of it
//! late, or never, and of an older decision after a newer one was made.

mod async_isr;
mod history;
mod ladder;
mod model;
mod names;
mod rules;
mod scenario;
mod simplify;
mod state;
mod step;
mod steps;
mod stepwise;
mod truncation;

pub use async_isr::{AsyncIsrModel, AsyncIsrSettings, AsyncIsrState, AsyncIsrStep, HwOver};
pub use ladder::{Rung, SIZES, Size, Tried, ladder};
pub use model::KipModel;
pub use names::ReplicaNames;
pub(crate) use names::name;
pub use rules::{Fencing, Preset, Rules, Truncation};
pub(crate) use scenario::step_json;
pub use scenario::{KIP_FORMAT, StepScenario};
pub use state::{KipSettings, KipState, SizeError};
pub use step::{KipOutcome, Step};
pub use stepwise::Stepwise;
