//! `committed-on-min-insync`: nothing is committed on too few replicas.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, View};

/// The high watermark advances only while the ISR has at least `min.insync.replicas` members.
///
/// Kafka holds to this since KIP-966.
#[derive(Debug)]
pub struct CommittedOnMinInsync;

impl Invariant for CommittedOnMinInsync {
    type Ghost = ();
    const NAME: &'static str = "committed-on-min-insync";
    const STATEMENT: &'static str = "HW advances only while |ISR| >= min.insync";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        _ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        let Event::HighWatermarkAdvanced { from } = event else { return Ok(()) };
        *tested += 1;
        if view.isr().len() >= view.min_insync_replicas() {
            return Ok(());
        }
        Err(Evidence::new(
            "hw-advanced-below-min-insync",
            "HW advanced from {from} to {hw} while the ISR was {isr}, fewer than min.insync.replicas = {min}",
        )
        .with("from", Fact::Offset(from))
        .with("hw", Fact::Offset(view.high_watermark()))
        .with("isr", Fact::Nodes(view.isr()))
        .with("min", Fact::Count(view.min_insync_replicas() as u64))
        .into())
    }
}

#[cfg(test)]
mod tests {
    use crate::InvariantId::CommittedOnMinInsync;
    use crate::testing::{Partition, Run, entry, nodes};

    fn with_isr(isr: crate::NodeSet) -> Run {
        let mut partition = Partition::with_log(&[entry(1, 0, 0), entry(1, 0, 1)], 1);
        partition.set_isr(isr);
        Run::new(CommittedOnMinInsync, partition)
    }

    #[test]
    fn hw_must_not_advance_below_min_insync() {
        let mut run = with_isr(nodes([2]));
        run.commit(2);
        run.assert_violated(
            "hw-advanced-below-min-insync",
            "HW advanced from 1 to 2 while the ISR was {node-3}, fewer than min.insync.replicas = 2",
        );
    }

    #[test]
    fn hw_may_advance_with_just_enough() {
        let mut run = with_isr(nodes([0, 2]));
        run.commit(2);
        run.assert_holds();
    }

    #[test]
    fn an_isr_that_is_too_small_is_fine_while_hw_stays() {
        let mut run = with_isr(nodes([2]));
        run.check();
        run.assert_untested();
    }
}
