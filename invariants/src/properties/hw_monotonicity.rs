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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::HwMonotonicity;
    use crate::testing::{Partition, Run, entry, node};
    use crate::vocabulary::Entry;

    const LOG: [Entry; 3] = [entry(1, 0, 0), entry(1, 0, 1), entry(1, 1, 2)];

    fn committed(offset: u32) -> Run {
        let mut run = Run::new(HwMonotonicity, Partition::with_log(&LOG, 0));
        run.commit(offset);
        run
    }

    #[test]
    fn the_partitions_hw_must_not_go_back() {
        let mut run = committed(2);
        run.check();
        run.assert_holds();
        run.partition.set_high_watermark(1);
        run.check();
        run.assert_violated("hw-decreased", "the partition's HW went back from 2 to 1");
    }

    #[test]
    fn an_hw_that_went_up_and_back_between_two_checks_is_found_out() {
        let mut run = committed(2);
        run.partition.set_high_watermark(1);
        run.check();
        run.assert_violated("hw-decreased", "the partition's HW went back from 2 to 1");
    }

    #[test]
    fn a_replicas_applied_hw_must_not_go_back() {
        let mut run = committed(2);
        run.check();
        run.partition.apply(1, 1);
        run.check();
        run.assert_violated(
            "applied-hw-decreased",
            "the applied HW of node-2 went back from 2 to 1, without a crash that lost data",
        );
    }

    #[test]
    fn an_applied_hw_that_goes_back_before_the_first_check_is_found_out() {
        let mut run = Run::new(HwMonotonicity, Partition::with_log(&LOG, 2));
        run.partition.apply(2, 0);
        run.check();
        run.assert_violated(
            "applied-hw-decreased",
            "the applied HW of node-3 went back from 2 to 0, without a crash that lost data",
        );
    }

    fn crashed_lossy() -> Run {
        let mut run = Run::new(HwMonotonicity, Partition::with_log(&LOG[..1], 0));
        run.partition.fsync(1);
        run.partition.append_everywhere(LOG[1]);
        run.commit(2);
        run.check();
        run.partition.crash(1, true);
        run.tell(Event::Crashed { node: node(1), lost_unfsynced: true });
        run
    }

    #[test]
    fn a_lossy_crash_takes_back_what_the_node_itself_had_applied() {
        let mut run = crashed_lossy();
        run.check();
        run.assert_holds();
    }

    #[test]
    fn a_lossy_crash_excuses_neither_another_node_nor_a_later_fall() {
        let mut run = crashed_lossy();
        run.partition.apply(1, 0);
        run.check();
        run.assert_violated(
            "applied-hw-decreased",
            "the applied HW of node-2 went back from 1 to 0, without a crash that lost data",
        );
        let mut run = crashed_lossy();
        run.partition.apply(2, 1);
        run.check();
        run.assert_violated(
            "applied-hw-decreased",
            "the applied HW of node-3 went back from 2 to 1, without a crash that lost data",
        );
    }

    #[test]
    fn before_anything_is_committed_nothing_is_tested() {
        let mut run = Run::new(HwMonotonicity, Partition::with_log(&LOG, 0));
        run.check();
        run.assert_untested();
    }
}
