//! Highwater: a property-based model checker and fuzzer for ISR replication.
//!
//! ISR replication is the protocol in which a leader, an in-sync replica set (ISR), a high watermark
//! (HW) and a controller's epochs decide what is committed. Highwater drives a deterministic
//! simulation of one replicated partition with generated sequences of client operations and faults,
//! checks what must hold after every operation and every tick, and hands out short counterexamples.
//!
//! * [`isr`]: the partition itself. [`isr::IsrGroup`] is the door for callers.
//! * [`highwater_invariants`]: what must hold, one file per invariant.
//! * [`model`]: the trait that every engine drives.
//! * [`run`](mod@run): one scenario through one model under a set of invariants.
//! * [`scenario`]: generated sequences and the scenario file format.
//! * [`search`]: parallel random search and shrinking.
//! * [`explore`]: every state within bounds.
//! * [`fuzz`](mod@fuzz): what the fuzz targets do, and their corpus.
//! * [`nightly`]: all that looks for violations, one after the other.
//! * [`strategy`]: proptest strategies, for property tests of your own.
//! * [`report`]: a finished run in words and tables.
//! * [`picture`]: a run as a page, a diagram, Mermaid, ITF, a Rust test.

pub mod cli;
pub mod conform;
pub mod explore;
mod files;
pub mod fuzz;
pub mod isr;
pub mod kip;
pub mod model;
pub mod nightly;
pub mod picture;
pub mod report;
pub mod run;
pub mod scenario;
pub mod search;
pub mod sim;
pub mod strategy;

pub use highwater_invariants as invariants;

/// The README's example, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
