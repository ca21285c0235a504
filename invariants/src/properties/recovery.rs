//! `recovery`: when faults stop, service comes back, unless what was promised is gone.

use super::Invariant;
use crate::canonical::{Canonical, Sink};
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, NodeSet, View};

/// After faults stop, every node is restarted and every link healed, an `ALL_ISR` write is accepted
/// within a bounded number of ticks and every replica is back in the ISR with the leader's log;
/// unless every copy of a committed entry was lost, in which case the partition must refuse instead.
#[derive(Debug)]
pub struct Recovery;

/// Whether a committed entry had no copy left when faults stopped.
#[derive(Clone, Debug, Default)]
pub struct LostEverywhere(bool);

impl Canonical for LostEverywhere {
    fn encode(&self, sink: &mut impl Sink) {
        sink.word(u64::from(self.0));
    }
}

impl Invariant for Recovery {
    type Ghost = LostEverywhere;
    const NAME: &'static str = "recovery";
    const STATEMENT: &'static str = "once faults stop, every node is restarted and every link healed, an ALL_ISR write is accepted within a bounded number of ticks and every replica is back in the ISR with the leader's log; if every copy of a committed entry was lost, the partition refuses instead";

    #[inline]
    fn check<V: View>(
        ghost: &mut LostEverywhere,
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        match event {
            Event::RecoveryStarted => {
                ghost.0 = ledger.has_lost_an_entry(view);
                Ok(())
            }
            Event::RecoveryEnded { write_accepted, ticks } => {
                *tested += 1;
                let refuses_rightly = ghost.0 && !write_accepted;
                if refuses_rightly {
                    return Ok(());
                }
                let is_lost = ghost.0 || ledger.has_lost_an_entry(view);
                if write_accepted && is_lost && !leader_has_history(ledger, view) {
                    return Err(serves_a_shorter_history().into());
                }
                recovered(write_accepted, ticks, view)
            }
            _ => Ok(()),
        }
    }
}

/// It may, although no replica had an entry of it when faults stopped: a copy was on its way.
fn leader_has_history<V: View>(ledger: &Ledger, view: &V) -> bool {
    view.live_leader().is_some_and(|leader| ledger.is_history_in(view.log(leader)))
}

#[cold]
fn serves_a_shorter_history() -> Evidence {
    Evidence::new(
        "serves-a-shorter-history",
        "every copy of a committed entry was lost, yet the partition accepted an ALL_ISR write instead of refusing",
    )
}

fn recovered<V: View>(write_accepted: bool, ticks: u64, view: &V) -> Result<(), Finding> {
    let Some(leader) = view.live_leader() else {
        return Err(Evidence::new("no-live-leader", "{ticks} ticks after faults stopped there is no live leader")
            .with("ticks", Fact::Count(ticks))
            .into());
    };
    if !write_accepted {
        return Err(Evidence::new(
            "no-write-accepted",
            "{ticks} ticks after faults stopped no ALL_ISR write has been accepted; the ISR is {isr}",
        )
        .with("ticks", Fact::Count(ticks))
        .with("isr", Fact::Nodes(view.isr()))
        .into());
    }
    let outside = view.nodes().without(view.isr());
    let differing: NodeSet =
        view.nodes().iter().filter(|&node| view.log(node) != view.log(leader)).collect();
    let (kind, sentence) = if !outside.is_empty() {
        (
            "replica-stays-out",
            "{ticks} ticks after faults stopped, {outside} is still outside the ISR",
        )
    } else if !differing.is_empty() {
        (
            "logs-stay-different",
            "{ticks} ticks after faults stopped, every replica is in the ISR, but {differing} has another log than the leader {leader}",
        )
    } else {
        return Ok(());
    };
    Err(Evidence::new(kind, sentence)
        .with("ticks", Fact::Count(ticks))
        .with("outside", Fact::Nodes(outside))
        .with("differing", Fact::Nodes(differing))
        .with("leader", Fact::Node(leader))
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::Recovery as RecoveryId;
    use crate::testing::{Partition, Run, entry, nodes};
    use crate::vocabulary::Entry;

    const LOG: [Entry; 2] = [entry(1, 0, 0), entry(1, 0, 1)];

    /// Recovery from `before` to `after`; both entries are committed.
    fn recovered(
        before: impl FnOnce(&mut Partition),
        after: impl FnOnce(&mut Partition),
        write_accepted: bool,
    ) -> Run {
        let mut run = Run::new(RecoveryId, Partition::with_log(&LOG, 0));
        run.commit(2);
        before(&mut run.partition);
        run.tell(Event::RecoveryStarted);
        after(&mut run.partition);
        run.tell(Event::RecoveryEnded { write_accepted, ticks: 40 });
        run
    }

    fn lose_the_second_entry(partition: &mut Partition) {
        for index in 0..3 {
            partition.set_log(index, &LOG[..1]);
        }
    }

    #[test]
    fn there_must_be_a_live_leader() {
        recovered(|_| (), |partition| partition.crash(0, false), true).assert_violated(
            "no-live-leader",
            "40 ticks after faults stopped there is no live leader",
        );
    }

    #[test]
    fn a_write_must_be_accepted() {
        recovered(|_| (), |partition| partition.set_isr(nodes([0])), false).assert_violated(
            "no-write-accepted",
            "40 ticks after faults stopped no ALL_ISR write has been accepted; the ISR is {node-1}",
        );
    }

    #[test]
    fn every_replica_must_be_back_in_the_isr() {
        recovered(|_| (), |partition| partition.set_isr(nodes([0, 1])), true).assert_violated(
            "replica-stays-out",
            "40 ticks after faults stopped, {node-3} is still outside the ISR",
        );
    }

    #[test]
    fn every_replica_must_have_the_leaders_log() {
        recovered(|_| (), |partition| partition.append(1, entry(1, 0, 2)), true).assert_violated(
            "logs-stay-different",
            "40 ticks after faults stopped, every replica is in the ISR, but {node-2} has another log than the leader node-1",
        );
    }

    #[test]
    fn when_every_copy_of_a_committed_entry_is_lost_the_partition_must_refuse() {
        let words = "every copy of a committed entry was lost, yet the partition accepted an ALL_ISR write instead of refusing";
        let kind = "serves-a-shorter-history";
        recovered(lose_the_second_entry, |_| (), true).assert_violated(kind, words);
        recovered(lose_the_second_entry, |_| (), false).assert_holds();
        // Another entry in its place is no copy.
        let overwrite = |partition: &mut Partition| {
            lose_the_second_entry(partition);
            partition.append_everywhere(entry(2, 0, 9));
        };
        recovered(overwrite, |_| (), true).assert_violated(kind, words);
    }

    #[test]
    fn a_copy_that_is_lost_during_recovery_is_lost() {
        recovered(|_| (), lose_the_second_entry, true).assert_violated(
            "serves-a-shorter-history",
            "every copy of a committed entry was lost, yet the partition accepted an ALL_ISR write instead of refusing",
        );
        recovered(|_| (), lose_the_second_entry, false).assert_violated(
            "no-write-accepted",
            "40 ticks after faults stopped no ALL_ISR write has been accepted; the ISR is {node-1, node-2, node-3}",
        );
    }

    #[test]
    fn a_copy_on_a_node_that_is_down_is_a_copy() {
        let lose_but_one = |partition: &mut Partition| {
            lose_the_second_entry(partition);
            partition.crash(2, false);
            partition.set_log(2, &LOG);
        };
        recovered(lose_but_one, |_| (), false).assert_violated(
            "no-write-accepted",
            "40 ticks after faults stopped no ALL_ISR write has been accepted; the ISR is {node-1, node-2}",
        );
    }

    #[test]
    fn a_copy_that_was_still_on_its_way_is_not_lost() {
        let arrive = |partition: &mut Partition| partition.append_everywhere(LOG[1]);
        recovered(lose_the_second_entry, arrive, true).assert_holds();
        let only_followers = |partition: &mut Partition| {
            partition.append(1, LOG[1]);
            partition.append(2, LOG[1]);
        };
        recovered(lose_the_second_entry, only_followers, true).assert_violated(
            "serves-a-shorter-history",
            "every copy of a committed entry was lost, yet the partition accepted an ALL_ISR write instead of refusing",
        );
    }

    #[test]
    fn a_partition_that_is_whole_again_holds() {
        recovered(|partition| partition.crash(2, true), |partition| {
            partition.set_log(2, &LOG);
            partition.restart(2);
            partition.set_isr(nodes([0, 1, 2]));
        }, true)
        .assert_holds();
    }

    #[test]
    fn a_run_that_ends_before_recovery_tests_nothing() {
        let mut run = Run::new(RecoveryId, Partition::with_log(&LOG, 2));
        run.tell(Event::RecoveryStarted);
        run.check();
        run.assert_untested();
    }
}
