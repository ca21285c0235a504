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

#[cfg(test)]
mod tests {
    use crate::InvariantId::HwWithinIsr;
    use crate::testing::{Partition, Run, entry, nodes};

    fn committed(offset: u32) -> Run {
        let log = [entry(1, 0, 0), entry(1, 0, 1)];
        Run::new(HwWithinIsr, Partition::with_log(&log, offset))
    }

    #[test]
    fn every_live_isr_member_must_reach_hw() {
        let mut run = committed(2);
        run.partition.set_log(1, &[entry(1, 0, 0)]);
        run.check();
        run.assert_violated(
            "isr-member-behind-hw",
            "node-2 is alive and in the ISR, but its log ends at 1, below HW 2",
        );
    }

    #[test]
    fn even_if_it_is_so_from_the_start() {
        let mut partition = Partition::with_log(&[entry(1, 0, 0)], 1);
        partition.set_high_watermark(2);
        let mut run = Run::new(HwWithinIsr, partition);
        run.check();
        run.assert_violated(
            "isr-member-behind-hw",
            "node-1 is alive and in the ISR, but its log ends at 1, below HW 2",
        );
    }

    #[test]
    fn the_dead_and_those_outside_the_isr_may_lag_behind() {
        let mut run = committed(2);
        run.partition.set_log(1, &[]);
        run.partition.set_isr(nodes([0, 2]));
        run.partition.crash(2, true);
        run.partition.set_isr(nodes([0, 2]));
        run.check();
        run.assert_holds();
        assert_eq!(run.tested(), 1);
    }

    #[test]
    fn before_anything_is_committed_nothing_is_tested() {
        let mut run = committed(0);
        run.check();
        run.assert_untested();
    }
}
