//! `acked-durability`: what a client was told is kept.

use super::{Invariant, is_state_check};
use crate::checker::Finding;
use crate::ledger::{Ledger, LogChange};
use crate::vocabulary::{Entry, Event, Evidence, Fact, NodeId, Offset, View};

/// An accepted `ALL_ISR` entry stays in the committed history and in every later live leader's log.
#[derive(Debug)]
pub struct AckedDurability;

/// Up to which acknowledgement, and under which live leader, everything was found in place.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    acknowledged: usize,
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
        if !is_state_check(event) || ledger.acknowledged().is_empty() {
            return Ok(());
        }
        let Some(leader) = view.live_leader() else {
            ghost.leader = None;
            return Ok(());
        };
        *tested += 1;
        let kept = ghost.leader == Some(leader)
            && !matches!(ledger.replica(leader).log_change(), LogChange::Rewritten { .. });
        let from = if kept { ghost.acknowledged } else { 0 };
        let log = view.log(leader);
        for &(offset, entry) in &ledger.acknowledged()[from..] {
            let index = offset.entries() - 1;
            if ledger.history().get(index) != Some(&entry) {
                return Err(lost(
                    "acked-not-in-history",
                    "{entry} was acknowledged at offset {offset}, but what was committed there is {found}",
                    (offset, entry),
                    ledger.history().get(index),
                    leader,
                ));
            }
            if log.get(index) != Some(&entry) {
                return Err(lost(
                    "acked-not-on-leader",
                    "{entry} was acknowledged at offset {offset}, but the live leader {leader} has {found} there",
                    (offset, entry),
                    log.get(index),
                    leader,
                ));
            }
        }
        *ghost = Verified { acknowledged: ledger.acknowledged().len(), leader: Some(leader) };
        Ok(())
    }
}

#[cold]
fn lost(
    kind: &'static str,
    sentence: &'static str,
    (offset, entry): (Offset, Entry),
    found: Option<&Entry>,
    leader: NodeId,
) -> Finding {
    Evidence::new(kind, sentence)
        .with("entry", Fact::Entry(Some(entry)))
        .with("offset", Fact::Offset(offset))
        .with("found", Fact::Entry(found.copied()))
        .with("leader", Fact::Node(leader))
        .into()
}
