//! `acked-durability`: what a client was told is kept.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::{Ledger, LogChange};
use crate::vocabulary::{Entry, Event, Evidence, Fact, NodeId, Offset, View, entry_at};

/// An accepted `ALL_ISR` entry stays in the committed history and in every later live leader's log.
#[derive(Debug)]
pub struct AckedDurability;

/// How many acknowledgements were found in place: in the history, which never changes, and in the
/// log of which live leader.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    in_history: usize,
    on_leader: usize,
    leader: Option<NodeId>,
}

impl crate::Canonical for Verified {
    /// Only saves work: what is skipped was found in place and is looked at again when it changes.
    fn encode(&self, _sink: &mut impl crate::Sink) {}
}

impl Invariant for AckedDurability {
    type Ghost = Verified;
    const NAME: &'static str = "acked-durability";
    const STATEMENT: &'static str = "an accepted ALL_ISR entry stays in the committed history and in every later live leader's log";

    #[inline]
    fn check<V: View>(
        ghost: &mut Verified,
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        if !event.is_state_check() || ledger.acknowledged().is_empty() {
            return Ok(());
        }
        let acknowledged = ledger.acknowledged();
        for &(offset, entry) in &acknowledged[ghost.in_history..] {
            *tested += 1;
            let found = entry_at(ledger.history(), offset);
            if found != Some(entry) {
                return Err(lost(
                    "acked-not-in-history",
                    "{entry} was acknowledged at offset {offset}, but what was committed there is {found}",
                    (offset, entry),
                    found,
                )
                .into());
            }
        }
        ghost.in_history = acknowledged.len();
        let Some(leader) = view.live_leader() else {
            ghost.leader = None;
            return Ok(());
        };
        *tested += 1;
        let kept = ghost.leader == Some(leader)
            && !matches!(ledger.replica(leader).log_change(), LogChange::Rewritten { .. });
        let from = if kept { ghost.on_leader } else { 0 };
        for &(offset, entry) in &acknowledged[from..] {
            let found = entry_at(view.log(leader), offset);
            if found != Some(entry) {
                return Err(lost(
                    "acked-not-on-leader",
                    "{entry} was acknowledged at offset {offset}, but the live leader {leader} has {found} there",
                    (offset, entry),
                    found,
                )
                .with("leader", Fact::Node(leader))
                .into());
            }
        }
        ghost.on_leader = acknowledged.len();
        ghost.leader = Some(leader);
        Ok(())
    }
}

#[cold]
fn lost(
    kind: &'static str,
    sentence: &'static str,
    (offset, entry): (Offset, Entry),
    found: Option<Entry>,
) -> Evidence {
    Evidence::new(kind, sentence)
        .with("entry", Fact::Entry(Some(entry)))
        .with("offset", Fact::Offset(offset))
        .with("found", Fact::Entry(found))
}
