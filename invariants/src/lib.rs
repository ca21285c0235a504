//! What must hold of a replicated partition.
//!
//! This crate is the checker's half of Highwater. It has a small *vocabulary* in which any model of
//! replication can describe itself ([`View`], [`Event`]), a [`Ledger`] of what has happened so far
//! (the committed history, the acknowledged writes), and one file for each invariant.
//!
//! It only observes, and it knows no model: nothing here can change what a model does.
//!
//! A [`Checker`] is an [`Observer`]: a model tells it each event together with a view of the
//! partition, and it counts for every invariant how often the invariant's premise came up. An
//! invariant whose premise never came up has not been tested, and is never reported as passed.

// A finding is made once per invariant and run, and must not allocate; a check that passes writes
// one word of it.
#![allow(clippy::result_large_err, clippy::large_enum_variant)]

pub mod canonical;
pub mod checker;
mod clone_in_place;
mod digest;
pub mod ledger;
pub mod properties;
#[cfg(test)]
mod testing;
pub mod vocabulary;

pub use canonical::{Canonical, Sink};
pub use checker::{Checker, Selection, Violation};
pub use ledger::Ledger;
pub use properties::{INVARIANT_COUNT, InvariantId};
pub use vocabulary::{
    AckLevel, Belief, Entry, Event, Evidence, Fact, KeyId, LeaderEpoch, Log, MAX_NODES, Names,
    NodeId, NodeSet, Observer, Offset, Packet, ReadLevel, Renaming, Settled, Table, Unobserved,
    ValueId, View, WriteId, first_difference,
};
