//! Random search: many sequences in parallel, every invariant checked, what is found shrunk.
//!
//! What a search finds depends on its seed and its range of sequences alone, never on the number of
//! threads or on time: results are merged in the order of sequences, and a batch that was not run
//! to its end counts for nothing.

mod ablate;
mod batch;
mod campaign;
mod findings;
mod groups;
pub mod shrink;
mod source;
mod tally;
mod walk;

pub use ablate::{Ablation, ablate};
pub use batch::Nondeterminism;
pub use campaign::{Campaign, Ended, Results, Stop, next_stop};
pub use findings::{Shrunk, shrink_all};
pub use groups::{CANDIDATES_MAX, Candidate, Group, Groups};
pub use source::Source;
pub use tally::Tally;
pub use walk::Walk;
