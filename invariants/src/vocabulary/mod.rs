//! The words in which a model describes itself to a checker.
//!
//! Small, distinct types for what replication speaks of; a [`View`] of the partition as it is; an
//! [`Event`] for what just happened; and [`Evidence`] for what was found wrong.

mod entry;
mod event;
mod evidence;
mod ids;
mod renaming;
mod table;
mod view;

pub use entry::{Entry, Log, entry_at, first_difference, is_prefix};
pub use event::{AckLevel, Event, Observer, Packet, ReadLevel, Settled, Unobserved};
pub use evidence::{Evidence, Fact, Names};
pub use ids::{KeyId, LeaderEpoch, MAX_NODES, NodeId, NodeSet, Offset, ValueId, WriteId};
pub use renaming::Renaming;
pub use table::Table;
pub use view::{Belief, View};
