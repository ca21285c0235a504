//! `weak-isr`: `WeakIsr` of `KafkaReplication.tla` (hachikuji/kafka-specification).

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Belief, Event, Evidence, Fact, NodeSet, Offset, View};

/// Whoever believes that it leads agrees with its own ISR up to its own HW.
#[derive(Debug)]
pub struct WeakIsr;

impl Invariant for WeakIsr {
    type Ghost = ();
    const NAME: &'static str = "weak-isr";
    const STATEMENT: &'static str = "whoever believes that it leads agrees, up to the HW that it believes in, with every member of the ISR that it believes in";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        _ledger: &Ledger,
        _event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        believers_agree(view, tested, |belief| belief.isr, || {
            Evidence::new(
                "believed-isr-member-lacks-committed-entry",
                "{leader} believes that it leads and that HW is {hw}, but {member}, a member of the ISR that it believes in, does not have all of its entries up to there",
            )
        })
    }
}

/// Whether each node that believes that it leads agrees, up to the high watermark that it believes
/// in, with every member of the ISR that `isr` says.
pub(super) fn believers_agree<V: View>(
    view: &V,
    tested: &mut u64,
    isr: impl Fn(Belief) -> NodeSet,
    evidence: impl Fn() -> Evidence,
) -> Result<(), Finding> {
    for leader in view.nodes().iter() {
        let Some(belief) = view.belief(leader).filter(|belief| belief.leads) else {
            continue;
        };
        let high_watermark = belief.high_watermark;
        if high_watermark == Offset::ZERO {
            continue;
        }
        for member in isr(belief).iter() {
            *tested += 1;
            if !view.agree_through(leader, member, high_watermark) {
                return Err(evidence()
                    .with("leader", Fact::Node(leader))
                    .with("member", Fact::Node(member))
                    .with("hw", Fact::Offset(high_watermark))
                    .into());
            }
        }
    }
    Ok(())
}
