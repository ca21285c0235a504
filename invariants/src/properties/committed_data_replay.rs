//! `committed-data-replay`: what is served is what the log says.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, KeyId, NodeId, Table, View};

/// Committed data equals the replay of the log through the applied high watermark; data equals the
/// replay of the whole log. (So the applied high watermark is within the log.)
#[derive(Debug)]
pub struct CommittedDataReplay;

impl Invariant for CommittedDataReplay {
    type Ghost = ();
    const NAME: &'static str = "committed-data-replay";
    const STATEMENT: &'static str = "committed data equals the replay of the log through applied HW; data equals the replay of the whole log";

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
            let replica = ledger.replica(node);
            if !replica.changed() {
                continue;
            }
            if let Some(data) = view.data(node) {
                *tested += u64::from(!view.log(node).is_empty());
                if data != replica.expected_data() {
                    return Err(differs("data-is-not-the-log", node, data, replica.expected_data()));
                }
            }
            if let Some(data) = view.committed_data(node) {
                let expected = replica.expected_committed_data();
                *tested += u64::from(view.applied_high_watermark(node).entries() > 0);
                if data != expected {
                    return Err(differs("committed-data-is-not-the-log", node, data, expected));
                }
                if view.applied_high_watermark(node) > view.log_end_offset(node) {
                    return Err(beyond_its_log(node, view));
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn differs(kind: &'static str, node: NodeId, found: &Table, expected: &Table) -> Finding {
    let keys = found.iter().chain(expected.iter()).map(|(key, _)| key);
    let key = keys.into_iter().find(|&key| found.get(key) != expected.get(key));
    let key = key.unwrap_or(KeyId(0));
    let sentence = if kind == "data-is-not-the-log" {
        "{node} holds {found} for {key}, but the replay of its log gives {expected}"
    } else {
        "{node} holds {found} for {key} as committed, but the replay of its log through its applied HW gives {expected}"
    };
    Evidence::new(kind, sentence)
        .with("node", Fact::Node(node))
        .with("key", Fact::Key(key))
        .with("found", Fact::Value(found.get(key)))
        .with("expected", Fact::Value(expected.get(key)))
        .into()
}

#[cold]
fn beyond_its_log<V: View>(node: NodeId, view: &V) -> Finding {
    Evidence::new(
        "applied-beyond-log",
        "{node} has applied through offset {applied}, but its log ends at {end}",
    )
    .with("node", Fact::Node(node))
    .with("applied", Fact::Offset(view.applied_high_watermark(node)))
    .with("end", Fact::Offset(view.log_end_offset(node)))
    .into()
}

#[cfg(test)]
mod tests {
    use crate::InvariantId::CommittedDataReplay;
    use crate::testing::{Partition, Run, entry};
    use crate::vocabulary::Offset;

    fn applied(offset: u32) -> Run {
        let log = [entry(1, 0, 0), entry(1, 1, 1), entry(1, 0, 2)];
        Run::new(CommittedDataReplay, Partition::with_log(&log, offset))
    }

    #[test]
    fn data_must_be_the_replay_of_the_whole_log() {
        let mut run = applied(2);
        run.check();
        run.assert_holds();
        run.partition.meddle(|partition| partition.replicas[1].data.apply(entry(1, 0, 5)));
        run.check();
        run.assert_violated(
            "data-is-not-the-log",
            "node-2 holds v5 for k0, but the replay of its log gives v2",
        );
    }

    #[test]
    fn committed_data_must_be_the_replay_of_what_is_applied() {
        let mut run = applied(2);
        run.partition.meddle(|partition| partition.replicas[1].committed_data.clear());
        run.check();
        run.assert_violated(
            "committed-data-is-not-the-log",
            "node-2 holds nothing for k0 as committed, but the replay of its log through its applied HW gives v0",
        );
    }

    #[test]
    fn data_that_outlives_its_entries_is_found_out() {
        let mut run = applied(0);
        run.check();
        run.partition.meddle(|partition| partition.replicas[2].log.clear());
        run.check();
        run.assert_violated(
            "data-is-not-the-log",
            "node-3 holds v2 for k0, but the replay of its log gives nothing",
        );
    }

    #[test]
    fn nothing_beyond_the_log_may_count_as_applied() {
        let mut run = applied(3);
        run.partition.meddle(|partition| partition.replicas[0].applied = Offset(4));
        run.check();
        run.assert_violated(
            "applied-beyond-log",
            "node-1 has applied through offset 4, but its log ends at 3",
        );
    }

    #[test]
    fn logs_may_grow_and_be_cut_and_replaced_if_the_data_follows() {
        let mut run = applied(2);
        run.partition.append(1, entry(2, 3, 4));
        run.check();
        run.partition.set_log(1, &[entry(1, 0, 0)]);
        run.check();
        run.partition.set_log(1, &[entry(2, 0, 5), entry(2, 1, 6), entry(2, 2, 7)]);
        run.partition.apply(1, 3);
        run.check();
        run.assert_holds();
    }

    #[test]
    fn a_model_without_data_tests_nothing() {
        let mut run = applied(2);
        run.partition.meddle(|partition| partition.keeps_data = false);
        run.check();
        run.assert_untested();
    }

    #[test]
    fn an_empty_log_tests_nothing() {
        let mut run = Run::new(CommittedDataReplay, Partition::of(2));
        run.check();
        run.assert_untested();
    }
}
