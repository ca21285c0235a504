//! `hw-monotonicity`: what is committed stays committed.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, Offset, View};

/// The partition's high watermark never decreases; a replica's applied high watermark never
/// decreases, other than by its own lossy crash.
#[derive(Debug)]
pub struct HwMonotonicity;

impl Invariant for HwMonotonicity {
    type Ghost = ();
    const NAME: &'static str = "hw-monotonicity";
    const STATEMENT: &'static str = "the partition's HW never decreases; a replica's applied HW never decreases, other than by its own lossy crash";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        if !event.is_state_check() {
            return Ok(());
        }
        let now = view.high_watermark();
        let before = ledger.high_watermark();
        if before > Offset::ZERO {
            *tested += 1;
        }
        if now < before {
            return Err(partition_went_back(before, now).into());
        }
        for node in view.nodes().iter() {
            let replica = ledger.replica(node);
            let (before, now) = (replica.applied_before(), view.applied_high_watermark(node));
            if now < before {
                return Err(Evidence::new(
                    "applied-hw-decreased",
                    "the applied HW of {node} went back from {before} to {after}, without a crash that lost data",
                )
                .with("node", Fact::Node(node))
                .with("before", Fact::Offset(before))
                .with("after", Fact::Offset(now))
                .into());
            }
        }
        Ok(())
    }
}

#[cold]
fn partition_went_back(before: Offset, now: Offset) -> Evidence {
    Evidence::new("hw-decreased", "the partition's HW went back from {before} to {after}")
        .with("before", Fact::Offset(before))
        .with("after", Fact::Offset(now))
}
