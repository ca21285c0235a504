//! `durable-prefix`: what survives a power loss is part of what was there.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, Offset, View, first_difference};

/// The durable image is never longer than the log, and a prefix of some log that the node had since
/// its last truncation.
///
/// Since its last truncation a log only grew, so each log that the node had since then is a prefix
/// of the present one; hence the durable image must be a prefix of the present log.
#[derive(Debug)]
pub struct DurablePrefix;

impl Invariant for DurablePrefix {
    type Ghost = ();
    const NAME: &'static str = "durable-prefix";
    const STATEMENT: &'static str = "the durable image is never longer than the log, and a prefix of some log that the node had since its last truncation";

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
        for node in view.nodes().iter() {
            let Some(durable) = view.durable(node).filter(|image| !image.is_empty()) else {
                continue;
            };
            if !ledger.replica(node).changed() {
                continue;
            }
            *tested += 1;
            let log = view.log(node);
            let (kind, sentence) = if durable.len() > log.len() {
                (
                    "durable-image-longer-than-log",
                    "the durable image of {node} ends at {durable_end}, beyond its log, which ends at {end}",
                )
            } else if first_difference(durable, log).is_some() {
                (
                    "durable-image-not-a-prefix",
                    "the durable image of {node} differs from its log at offset {offset}",
                )
            } else {
                continue;
            };
            let offset = first_difference(durable, log).unwrap_or(Offset(log.len() as u32 + 1));
            return Err(Evidence::new(kind, sentence)
                .with("node", Fact::Node(node))
                .with("durable_end", Fact::Count(durable.len() as u64))
                .with("end", Fact::Count(log.len() as u64))
                .with("offset", Fact::Offset(offset))
                .into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::InvariantId::DurablePrefix;
    use crate::testing::{Partition, Run, entry};
    use crate::vocabulary::Entry;

    const LOG: [Entry; 3] = [entry(1, 0, 0), entry(1, 0, 1), entry(1, 0, 2)];

    fn synced() -> Run {
        let mut run = Run::new(DurablePrefix, Partition::with_log(&LOG[..2], 0));
        run.partition.fsync(1);
        run.check();
        run
    }

    #[test]
    fn a_durable_image_must_not_be_longer_than_the_log() {
        let mut run = synced();
        run.partition.set_log(1, &LOG[..1]);
        run.check();
        run.assert_violated(
            "durable-image-longer-than-log",
            "the durable image of node-2 ends at 2, beyond its log, which ends at 1",
        );
    }

    #[test]
    fn a_durable_image_must_be_a_prefix_of_the_log() {
        let mut run = synced();
        run.partition.set_log(1, &[LOG[0], entry(2, 0, 1), LOG[2]]);
        run.check();
        run.assert_violated(
            "durable-image-not-a-prefix",
            "the durable image of node-2 differs from its log at offset 2",
        );
    }

    #[test]
    fn a_log_may_grow_beyond_its_image_and_be_cut_back_to_it() {
        let mut run = synced();
        run.partition.append(1, LOG[2]);
        run.check();
        run.partition.set_log(1, &LOG[..2]);
        run.check();
        run.assert_holds();
    }

    #[test]
    fn without_an_image_nothing_is_tested() {
        let mut run = Run::new(DurablePrefix, Partition::with_log(&LOG, 0));
        run.check();
        run.assert_untested();
        let mut run = Run::new(DurablePrefix, Partition::with_log(&LOG, 0));
        run.partition.fsync(1);
        run.partition.meddle(|partition| partition.keeps_data = false);
        run.check();
        run.assert_untested();
    }
}
