//! Exhaustive exploration: every state that operations within bounds can lead to, breadth first.
//!
//! What it finds is a shortest counterexample; what it does not find is not there, within the bounds
//! that it names. States are told apart by fingerprints of their canonical encoding, which holds
//! everything on which the future depends: the partition, what it has promised, what the invariants
//! remember, and what of the bounds is left.

mod bounds;
mod certify;
mod checkpoint;
mod collisions;
mod counterexample;
mod expand;
mod explored;
mod explorer;
mod levels;
mod node;
mod restore;
mod search;
mod table;

pub use bounds::{BadBounds, Bounds};
pub use certify::{Certificate, certify};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use collisions::Collisions;
pub use counterexample::Counterexample;
pub use expand::Counts;
pub use explored::{Ended, Explored, Limits, Progress};
pub use explorer::Exploration;
pub use node::{Node, Space};
pub use table::{Fingerprint, Inserted, Table, Word};
