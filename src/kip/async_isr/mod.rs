//! ISR changes that the leader asks for and the controller decides: `AsyncIsr` of the same repository.
//!
//! The leader proposes a change, and goes on before it knows what became of it; the controller may
//! have decided otherwise meanwhile. The question is over which ISR the high watermark is to be taken:
//! it must be the committed one and all that was proposed, together.

mod model;
mod simplify;
mod state;
mod steps;
mod stepwise;

pub use model::AsyncIsrModel;
pub use state::{AsyncIsrSettings, AsyncIsrState, HwOver};
pub use steps::AsyncIsrStep;
