//! Pictures of a run: a page, a diagram in the terminal, Mermaid, ITF, a Rust test.
//!
//! All are drawn from one [`Picture`], which knows no model; each model says how a run of its
//! becomes one.

mod events;
mod html;
mod isr;
mod itf;
mod lanes;
mod mermaid;
mod parts;
mod rust_test;
mod steps;
mod text;
mod violation;

pub use html::{Index, IndexEntry};
pub use parts::{
    Arrival, Event, Fate, LogEntry, Message, NodePicture, PICTURE_FORMAT, Picture, StepPicture,
    ViolationPicture,
};
pub(crate) use violation::verdict_in_a_word;

/// How wide a text is that is not written for a terminal.
pub const TEXT_WIDTH: usize = 100;
