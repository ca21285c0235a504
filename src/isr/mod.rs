//! The replicated partition: one Kafka-style leader, its followers and a controller that never
//! fails, on the simulation kernel of [`crate::sim`].
//!
//! It knows no checker. What it does is fixed, step by step, in `PROTOCOL.md` (below); comments
//! refer to that page's sections. [`IsrGroup`] is the door for callers: names and byte strings.
//! [`Partition`] is the same thing with small ids inside, which the engines drive.
//!
#![doc = include_str!("PROTOCOL.md")]

mod branch;
mod builder;
mod client;
mod configuration;
mod controller;
mod election;
mod encode;
mod error;
mod faults;
mod group;
mod guards;
mod interner;
mod matching;
mod model;
mod network_faults;
mod operation;
mod partition;
mod payload;
mod pending;
mod phases;
mod probe;
mod refresh;
mod replica;
mod replication;
mod retained;
mod settings;
mod simplify;
mod trace;
mod trace_json;
mod variant;

pub use branch::{Branch, Branches};
pub use builder::GroupBuilder;
pub use client::{ReadAnswer, WriteAnswer, WriteReason};
pub use configuration::{ConfigurationError, GroupConfiguration};
pub use error::IsrError;
pub use group::{IsrGroup, ReadResult, WriteResult, WriteTicket};
pub use guards::{Guard, Guards};
pub use highwater_invariants::{AckLevel, ReadLevel};
pub use interner::{Interner, InternerFull};
pub use model::{IsrModel, TracedIsrModel, Values};
pub use operation::{Operation, Outcome};
pub use partition::Partition;
pub use payload::ShownPayload;
pub use pending::{Patience, Submission};
pub use probe::{NodeProbe, Probe, ProbeEntry};
pub use replica::CatchUpMode;
pub use settings::{Limits, Settings};
pub use trace::{
    IsrEvent, Observed, Recorder, RejectReason, Trace, TraceEvent, TraceRecord, Traced,
};
pub use trace_json::TraceNames;
pub(crate) use trace_json::{ack_level, read_level};
pub use variant::{Rules, UnknownRules, Variant};
