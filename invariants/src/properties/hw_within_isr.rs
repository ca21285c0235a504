//! `hw-within-isr`: every in-sync replica has all that is committed.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, Offset, View};

/// The high watermark is at or below the log end of every live ISR member.
#[derive(Debug)]
pub struct HwWithinIsr;

impl Invariant for HwWithinIsr {
    type Ghost = ();
    const NAME: &'static str = "hw-within-isr";
    const STATEMENT: &'static str = "HW <= log end of every live ISR member";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        _ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        let high_watermark = view.high_watermark();
        if !event.is_state_check() || high_watermark == Offset::ZERO {
            return Ok(());
        }
        for member in view.live_isr().iter() {
            *tested += 1;
            if view.log_end_offset(member) < high_watermark {
                return Err(Evidence::new(
                    "isr-member-behind-hw",
                    "{member} is alive and in the ISR, but its log ends at {end}, below HW {hw}",
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
