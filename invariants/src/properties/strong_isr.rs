//! `strong-isr`: `StrongIsr` of `KafkaReplication.tla` (hachikuji/kafka-specification).

use super::Invariant;
use super::weak_isr::believers_agree;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, View};

/// Whoever believes that it leads agrees with the true ISR up to its own HW.
#[derive(Debug)]
pub struct StrongIsr;

impl Invariant for StrongIsr {
    type Ghost = ();
    const NAME: &'static str = "strong-isr";
    const STATEMENT: &'static str = "whoever believes that it leads agrees, up to the HW that it believes in, with every member of the true ISR: whoever is elected from that has all that a consumer may have seen";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        _ledger: &Ledger,
        _event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        believers_agree(view, tested, |_| view.isr(), || {
            Evidence::new(
                "true-isr-member-lacks-committed-entry",
                "{leader} believes that it leads and that HW is {hw}, but {member}, a member of the true ISR, does not have all of its entries up to there",
            )
        })
    }
}
