//! `committed-prefix-agreement`: nobody disagrees about what is committed.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{
    Entry, Event, Evidence, Fact, NodeId, NodeSet, Offset, View, entry_at, first_difference,
};

/// Any two live ISR members hold the same entry at every offset up to the high watermark that both
/// have; any two live replicas agree on what both have applied; the live leader's log contains the
/// committed history, nothing missing, nothing replaced.
///
/// A live, isolated, deposed leader rightly keeps an uncommitted suffix below the group's high
/// watermark; therefore replicas outside the ISR are held only to what they have applied.
#[derive(Debug)]
pub struct CommittedPrefixAgreement;

impl Invariant for CommittedPrefixAgreement {
    type Ghost = ();
    const NAME: &'static str = "committed-prefix-agreement";
    const STATEMENT: &'static str = "live ISR members hold the same entry at every offset <= HW that both have; live replicas agree on what both have applied; the live leader's log contains the committed history, nothing missing, nothing replaced";

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
        if !ledger.history().is_empty()
            && let Some(leader) = view.live_leader()
        {
            *tested += 1;
            if !ledger.is_history_in(view.log(leader)) {
                return Err(leader_lacks_history(ledger, view.log(leader), leader).into());
            }
        }
        let high_watermark = view.high_watermark();
        let committed = |node| through(high_watermark, view.log(node));
        if !agree(view.live_isr(), committed, tested) {
            let words = isr_members_disagree(high_watermark);
            return Err(disagreement(view.live_isr(), committed, words).into());
        }
        let is_part_of_that = view.alive() == view.live_isr()
            && view.alive().iter().all(|node| view.applied_high_watermark(node) <= high_watermark);
        if is_part_of_that {
            return Ok(());
        }
        let applied = |node| through(view.applied_high_watermark(node), view.log(node));
        if !agree(view.alive(), applied, tested) {
            let words = replicas_disagree(high_watermark);
            return Err(disagreement(view.alive(), applied, words).into());
        }
        Ok(())
    }
}

/// The entries of `log` up to `offset`, as far as it goes.
#[inline]
fn through(offset: Offset, log: &[Entry]) -> &[Entry] {
    &log[..offset.entries().min(log.len())]
}

/// Whether any two of `nodes` hold the same entries as far as both go.
///
/// It is enough that each agrees with the longest before it: whoever agreed with a shorter one, and
/// is shorter still, then agrees with this one too.
#[inline]
fn agree<'v>(nodes: NodeSet, held: impl Fn(NodeId) -> &'v [Entry], tested: &mut u64) -> bool {
    let (mut longest, mut holders): (&[Entry], u64) = (&[], 0);
    for node in nodes.iter() {
        let entries = held(node);
        if first_difference(longest, entries).is_some() {
            *tested += 1;
            return false;
        }
        *tested += if entries.is_empty() { 0 } else { holders };
        holders += u64::from(!entries.is_empty());
        if entries.len() > longest.len() {
            longest = entries;
        }
    }
    true
}

/// The first two of `nodes` that do not agree.
#[cold]
fn disagreement<'v>(
    nodes: NodeSet,
    held: impl Fn(NodeId) -> &'v [Entry],
    words: Evidence,
) -> Evidence {
    let pairs = nodes.iter().flat_map(|a| nodes.iter().map(move |b| (a, b)));
    let mut found = pairs.filter_map(|(a, b)| Some((a, b, first_difference(held(a), held(b))?)));
    let Some((a, b, offset)) = found.next() else { return words };
    words
        .with("a", Fact::Node(a))
        .with("b", Fact::Node(b))
        .with("offset", Fact::Offset(offset))
        .with("entry_a", Fact::Entry(entry_at(held(a), offset)))
        .with("entry_b", Fact::Entry(entry_at(held(b), offset)))
}

#[cold]
fn isr_members_disagree(high_watermark: Offset) -> Evidence {
    Evidence::new(
        "isr-members-disagree",
        "{a} and {b} are both in the ISR and HW is {hw}, but at offset {offset} {a} has {entry_a} and {b} has {entry_b}",
    )
    .with("hw", Fact::Offset(high_watermark))
}

#[cold]
fn replicas_disagree(high_watermark: Offset) -> Evidence {
    Evidence::new(
        "applied-prefixes-disagree",
        "{a} and {b} have both applied offset {offset} as committed (HW is {hw}), but {a} has {entry_a} there and {b} has {entry_b}",
    )
    .with("hw", Fact::Offset(high_watermark))
}

#[cold]
fn leader_lacks_history(ledger: &Ledger, log: &[Entry], leader: NodeId) -> Evidence {
    let history = ledger.history();
    let offset = first_difference(history, log).unwrap_or(Offset(log.len() as u32 + 1));
    let entry = |log: &[Entry]| Fact::Entry(entry_at(log, offset));
    let (kind, sentence) = if offset.entries() > log.len() {
        (
            "leader-lacks-committed-entry",
            "{committed} was committed at offset {offset}, but the log of the live leader {leader} ends at {end}",
        )
    } else {
        (
            "leader-replaced-committed-entry",
            "{committed} was committed at offset {offset}, but the live leader {leader} has {found} there",
        )
    };
    Evidence::new(kind, sentence)
        .with("leader", Fact::Node(leader))
        .with("offset", Fact::Offset(offset))
        .with("committed", entry(history))
        .with("found", entry(log))
        .with("end", Fact::Offset(Offset(log.len() as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::CommittedPrefixAgreement;
    use crate::testing::{Dice, Partition, Run, entry, nodes};

    const LOG: [Entry; 3] = [entry(1, 0, 0), entry(1, 0, 1), entry(1, 0, 2)];
    const OTHER: Entry = entry(2, 0, 7);

    fn committed(offset: u32) -> Run {
        Run::new(CommittedPrefixAgreement, Partition::with_log(&LOG, offset))
    }

    #[test]
    fn isr_members_must_agree_through_hw() {
        let mut run = committed(2);
        run.partition.set_log(2, &[LOG[0], OTHER, LOG[2]]);
        run.partition.apply(2, 0);
        run.check();
        run.assert_violated(
            "isr-members-disagree",
            "node-1 and node-3 are both in the ISR and HW is 2, but at offset 2 node-1 has k0=v1 of epoch 1 and node-3 has k0=v7 of epoch 2",
        );
    }

    #[test]
    fn replicas_outside_the_isr_must_agree_on_what_they_applied() {
        let mut run = committed(2);
        run.partition.set_isr(nodes([0]));
        run.partition.set_log(1, &[LOG[0], OTHER]);
        run.partition.apply(1, 2);
        run.check();
        run.assert_violated(
            "applied-prefixes-disagree",
            "node-1 and node-2 have both applied offset 2 as committed (HW is 2), but node-1 has k0=v1 of epoch 1 there and node-2 has k0=v7 of epoch 2",
        );
    }

    #[test]
    fn replicas_that_applied_what_is_not_committed_are_found_out_too() {
        let mut run = committed(0);
        run.partition.set_isr(nodes([0]));
        run.partition.set_log(1, &[OTHER]);
        run.partition.apply(0, 1);
        run.partition.apply(1, 1);
        run.check();
        run.assert_violated(
            "applied-prefixes-disagree",
            "node-1 and node-2 have both applied offset 1 as committed (HW is 0), but node-1 has k0=v0 of epoch 1 there and node-2 has k0=v7 of epoch 2",
        );
    }

    #[test]
    fn isr_members_that_applied_beyond_hw_must_agree_there_too() {
        let mut run = committed(1);
        run.partition.set_log(1, &[LOG[0], OTHER]);
        run.partition.apply(0, 2);
        run.partition.apply(1, 2);
        run.check();
        run.assert_violated(
            "applied-prefixes-disagree",
            "node-1 and node-2 have both applied offset 2 as committed (HW is 1), but node-1 has k0=v1 of epoch 1 there and node-2 has k0=v7 of epoch 2",
        );
    }

    #[test]
    fn the_live_leader_must_lack_nothing_that_was_committed() {
        let mut run = committed(2);
        run.partition.set_log(1, &LOG[..1]);
        run.partition.elect(1);
        run.check();
        run.assert_violated(
            "leader-lacks-committed-entry",
            "k0=v1 of epoch 1 was committed at offset 2, but the log of the live leader node-2 ends at 1",
        );
    }

    #[test]
    fn the_live_leader_must_have_replaced_nothing_that_was_committed() {
        let mut run = committed(2);
        run.partition.set_isr(nodes([1]));
        run.partition.set_log(1, &[OTHER, LOG[1], LOG[2]]);
        run.partition.elect(1);
        run.check();
        run.assert_violated(
            "leader-replaced-committed-entry",
            "k0=v0 of epoch 1 was committed at offset 1, but the live leader node-2 has k0=v7 of epoch 2 there",
        );
    }

    #[test]
    fn a_leader_that_lost_history_is_found_out_even_if_hw_went_back_to_zero() {
        let mut run = committed(2);
        run.partition.commit(0);
        for index in 0..3 {
            run.partition.set_log(index, &[]);
        }
        run.check();
        run.assert_violated(
            "leader-lacks-committed-entry",
            "k0=v0 of epoch 1 was committed at offset 1, but the log of the live leader node-1 ends at 0",
        );
    }

    #[test]
    fn to_agree_with_the_longest_is_to_agree_with_each_other() {
        let mut outcomes = [0, 0];
        for seed in 0..5000 {
            let mut dice = Dice(seed);
            let lies_one_in = 4 + dice.below(40);
            let logs: Vec<Vec<Entry>> = (0..2 + dice.below(4))
                .map(|_| {
                    let entries = (0..dice.below(5)).map(|value| (value, dice.one_in(lies_one_in)));
                    entries.map(|(value, lies)| entry(1, u16::from(lies), value)).collect()
                })
                .collect();
            let held = |node: NodeId| logs[node.index()].as_slice();
            let nodes = NodeSet::first(logs.len());
            let pairs = || nodes.iter().flat_map(|a| nodes.iter().map(move |b| (a, b)));
            let expected = pairs().all(|(a, b)| first_difference(held(a), held(b)).is_none());
            let mut tested = 0;
            assert_eq!(agree(nodes, held, &mut tested), expected, "{logs:?}");
            let both = |&(a, b): &(NodeId, NodeId)| {
                a < b && !held(a).is_empty() && !held(b).is_empty()
            };
            if expected {
                assert_eq!(tested, pairs().filter(both).count() as u64);
            }
            outcomes[usize::from(expected)] += 1;
        }
        assert!(outcomes[0] > 1000 && outcomes[1] > 1000, "{outcomes:?}");
    }

    #[test]
    fn uncommitted_and_unapplied_entries_may_differ() {
        let mut run = committed(2);
        run.partition.set_log(1, &[LOG[0], LOG[1], OTHER]);
        run.partition.set_log(2, &[LOG[0], OTHER]);
        run.partition.apply(2, 1);
        run.partition.set_isr(nodes([0, 1]));
        run.check();
        run.assert_holds();
    }

    #[test]
    fn the_dead_are_asked_nothing() {
        let mut run = committed(2);
        run.partition.set_log(1, &[OTHER, OTHER]);
        run.partition.crash(1, false);
        run.partition.set_isr(nodes([1]));
        run.check();
        run.partition.set_isr(nodes([0, 1, 2]));
        run.partition.set_log(2, &[]);
        run.partition.crash(2, true);
        run.check();
        run.assert_holds();
        run.partition.crash(0, false);
        let tested = run.tested();
        run.check();
        assert_eq!(run.tested(), tested);
    }

    #[test]
    fn before_anything_is_committed_nothing_is_tested() {
        let mut run = committed(0);
        run.partition.set_log(1, &[OTHER]);
        run.check();
        run.assert_untested();
    }
}
