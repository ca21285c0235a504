//! `valid-high-watermark`: `ValidHighWatermark` of `AsyncIsr.tla` (hachikuji/kafka-specification).

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, Offset, View};

/// Every member of the controller's ISR reaches the leader's high watermark.
#[derive(Debug)]
pub struct ValidHighWatermark;

impl Invariant for ValidHighWatermark {
    type Ghost = ();
    const NAME: &'static str = "valid-high-watermark";
    const STATEMENT: &'static str = "every member of the controller's ISR has all offsets up to the leader's HW";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        _ledger: &Ledger,
        _event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        let high_watermark = view.high_watermark();
        if high_watermark == Offset::ZERO {
            return Ok(());
        }
        for member in view.isr().iter() {
            *tested += 1;
            if view.log_end_offset(member) < high_watermark {
                return Err(Evidence::new(
                    "isr-member-below-hw",
                    "the leader's HW is {hw}, but {member}, a member of the controller's ISR, ends at {end}",
                )
                .with("member", Fact::Node(member))
                .with("end", Fact::Offset(view.log_end_offset(member)))
                .with("hw", Fact::Offset(high_watermark))
                .into());
            }
        }
        Ok(())
    }
}
