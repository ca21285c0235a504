//! `acked-durability`: what a client was told is kept.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::{Ledger, LogChange};
use crate::vocabulary::{Entry, Event, Evidence, Fact, NodeId, Offset, View, entry_at};

/// An accepted `ALL_ISR` entry stays in the committed history and in every later live leader's log.
#[derive(Debug)]
pub struct AckedDurability;

/// How many acknowledgements were found in place: in the history, which never changes, and in the
/// log of which live leader.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    in_history: usize,
    on_leader: usize,
    leader: Option<NodeId>,
}

impl crate::Canonical for Verified {
    /// Only saves work: what is skipped was found in place and is looked at again when it changes.
    fn encode(&self, _sink: &mut impl crate::Sink) {}
}

impl Invariant for AckedDurability {
    type Ghost = Verified;
    const NAME: &'static str = "acked-durability";
    const STATEMENT: &'static str = "an accepted ALL_ISR entry stays in the committed history and in every later live leader's log";

    #[inline]
    fn check<V: View>(
        ghost: &mut Verified,
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        if !event.is_state_check() || ledger.acknowledged().is_empty() {
            return Ok(());
        }
        let acknowledged = ledger.acknowledged();
        for &(offset, entry) in &acknowledged[ghost.in_history..] {
            *tested += 1;
            let found = entry_at(ledger.history(), offset);
            if found != Some(entry) {
                return Err(lost(
                    "acked-not-in-history",
                    "{entry} was acknowledged at offset {offset}, but what was committed there is {found}",
                    (offset, entry),
                    found,
                )
                .into());
            }
        }
        ghost.in_history = acknowledged.len();
        let Some(leader) = view.live_leader() else {
            ghost.leader = None;
            return Ok(());
        };
        *tested += 1;
        let kept = ghost.leader == Some(leader)
            && !matches!(ledger.replica(leader).log_change(), LogChange::Rewritten { .. });
        let from = if kept { ghost.on_leader } else { 0 };
        for &(offset, entry) in &acknowledged[from..] {
            let found = entry_at(view.log(leader), offset);
            if found != Some(entry) {
                return Err(lost(
                    "acked-not-on-leader",
                    "{entry} was acknowledged at offset {offset}, but the live leader {leader} has {found} there",
                    (offset, entry),
                    found,
                )
                .with("leader", Fact::Node(leader))
                .into());
            }
        }
        ghost.on_leader = acknowledged.len();
        ghost.leader = Some(leader);
        Ok(())
    }
}

#[cold]
fn lost(
    kind: &'static str,
    sentence: &'static str,
    (offset, entry): (Offset, Entry),
    found: Option<Entry>,
) -> Evidence {
    Evidence::new(kind, sentence)
        .with("entry", Fact::Entry(Some(entry)))
        .with("offset", Fact::Offset(offset))
        .with("found", Fact::Entry(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::AckedDurability;
    use crate::testing::{Partition, Run, entry, nodes};
    use crate::vocabulary::{AckLevel, WriteId};

    const LOG: [Entry; 3] = [entry(1, 0, 0), entry(1, 0, 1), entry(1, 0, 2)];
    const OTHER: Entry = entry(2, 0, 9);

    fn acknowledge(run: &mut Run, offset: u32, entry: Entry) {
        run.tell(Event::WriteAnswered {
            write: WriteId(offset),
            ack: AckLevel::AllIsr,
            accepted: true,
            offset: Offset(offset),
            entry,
        });
    }

    fn acknowledged() -> Run {
        let mut run = Run::new(AckedDurability, Partition::with_log(&LOG, 3));
        acknowledge(&mut run, 2, LOG[1]);
        run.check();
        run
    }

    #[test]
    fn an_acknowledged_entry_must_be_in_the_committed_history() {
        let words = "k0=v9 of epoch 2 was acknowledged at offset 3, but what was committed there is k0=v2 of epoch 1";
        let mut run = acknowledged();
        acknowledge(&mut run, 3, OTHER);
        run.check();
        run.assert_violated("acked-not-in-history", words);
        let mut run = acknowledged();
        acknowledge(&mut run, 3, OTHER);
        run.partition.crash(0, true);
        run.check();
        run.assert_violated("acked-not-in-history", words);
        let mut run = acknowledged();
        acknowledge(&mut run, 4, OTHER);
        run.check();
        run.assert_violated(
            "acked-not-in-history",
            "k0=v9 of epoch 2 was acknowledged at offset 4, but what was committed there is nothing",
        );
    }

    #[test]
    fn a_new_acknowledgement_is_looked_at_even_if_nothing_else_changed() {
        let mut run = acknowledged();
        run.check();
        let tested = run.tested();
        acknowledge(&mut run, 1, LOG[0]);
        run.check();
        assert!(run.tested() > tested);
        run.assert_holds();
        acknowledge(&mut run, 1, OTHER);
        run.check();
        run.assert_violated(
            "acked-not-in-history",
            "k0=v9 of epoch 2 was acknowledged at offset 1, but what was committed there is k0=v0 of epoch 1",
        );
    }

    #[test]
    fn a_new_leader_must_have_every_acknowledged_entry() {
        let mut run = acknowledged();
        run.partition.set_log(1, &LOG[..1]);
        run.partition.elect(1);
        run.check();
        run.assert_violated(
            "acked-not-on-leader",
            "k0=v1 of epoch 1 was acknowledged at offset 2, but the live leader node-2 has nothing there",
        );
    }

    #[test]
    fn the_same_leader_must_keep_every_acknowledged_entry() {
        let mut run = acknowledged();
        run.partition.append(0, OTHER);
        run.check();
        run.assert_holds();
        run.partition.set_log(0, &[LOG[0], OTHER, LOG[2], OTHER]);
        run.check();
        run.assert_violated(
            "acked-not-on-leader",
            "k0=v1 of epoch 1 was acknowledged at offset 2, but the live leader node-1 has k0=v9 of epoch 2 there",
        );
    }

    #[test]
    fn a_leader_that_comes_back_is_looked_at_again() {
        let mut run = acknowledged();
        run.partition.crash(0, false);
        run.check();
        run.partition.set_log(0, &LOG[..1]);
        run.check();
        run.assert_holds();
        run.partition.restart(0);
        run.check();
        run.assert_violated(
            "acked-not-on-leader",
            "k0=v1 of epoch 1 was acknowledged at offset 2, but the live leader node-1 has nothing there",
        );
    }

    #[test]
    fn followers_and_the_dead_may_lag_behind() {
        let mut run = acknowledged();
        run.partition.set_isr(nodes([0]));
        run.partition.set_log(1, &[]);
        run.partition.crash(2, true);
        run.check();
        run.assert_holds();
    }

    #[test]
    fn without_an_acknowledgement_nothing_is_tested() {
        let mut run = Run::new(AckedDurability, Partition::with_log(&LOG, 3));
        for (ack, accepted) in [(AckLevel::Leader, true), (AckLevel::AllIsr, false)] {
            let (write, offset, entry) = (WriteId(0), Offset(1), OTHER);
            run.tell(Event::WriteAnswered { write, ack, accepted, offset, entry });
        }
        run.check();
        run.assert_untested();
    }
}
