//! `leader-in-isr`: `LeaderInIsr` of `KafkaReplication.tla` (hachikuji/kafka-specification), which
//! fails in the initial state as it is published, since nobody leads there; here nobody may.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, View};

/// The leader is in the ISR, if there is one.
#[derive(Debug)]
pub struct LeaderInIsr;

impl Invariant for LeaderInIsr {
    type Ghost = ();
    const NAME: &'static str = "leader-in-isr";
    const STATEMENT: &'static str = "the leader is a member of the ISR, or there is none";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        _ledger: &Ledger,
        _event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        let Some(leader) = view.leader() else { return Ok(()) };
        *tested += 1;
        if view.isr().contains(leader) {
            return Ok(());
        }
        Err(Evidence::new("leader-outside-isr", "{leader} leads and is not in the ISR {isr}")
            .with("leader", Fact::Node(leader))
            .with("isr", Fact::Nodes(view.isr()))
            .into())
    }
}
