//! `epoch-order`: epochs order history, and a position in it has one name.

use super::Invariant;
use crate::canonical::{Canonical, Sink};
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Entry, Event, Evidence, Fact, Log, NodeId, Offset, View};
use smallvec::SmallVec;
use std::mem;

/// Epochs never decrease along a log; one (epoch, offset) names one entry in the whole history.
#[derive(Debug)]
pub struct EpochOrder;

/// Which entry each (epoch, offset) has named so far, on any replica.
#[derive(Debug, Default)]
pub struct NamedEntries {
    /// The entry of the earliest epoch at each offset: enough as long as nothing is ever rewritten.
    first: Log,
    /// Further entries, of later epochs, sorted by (offset, epoch).
    others: SmallVec<[(Offset, Entry); 8]>,
}

crate::clone_in_place!(NamedEntries: copied { first, others } cloned {});

impl Canonical for NamedEntries {
    fn encode(&self, sink: &mut impl Sink) {
        self.first.encode(sink);
        sink.word(self.others.len() as u64);
        for (offset, entry) in &self.others {
            sink.word(u64::from(offset.0));
            sink.word(entry.bits());
        }
    }
}

impl NamedEntries {
    /// Records that `entry` is at `offset`. The other entry, if (epoch, offset) already names one.
    #[inline]
    fn name(&mut self, offset: Offset, entry: Entry) -> Option<Entry> {
        let index = offset.entries() - 1;
        match self.first.get_mut(index) {
            None => {
                // Logs have no gaps, and are looked at from the front.
                self.first.push(entry);
                None
            }
            Some(&mut first) if first == entry => None,
            Some(&mut first) if first.leader_epoch() == entry.leader_epoch() => Some(first),
            Some(first) => {
                // What is remembered must not depend on which of the two was seen first.
                let earlier = entry.leader_epoch() < first.leader_epoch();
                let later = if earlier { mem::replace(first, entry) } else { entry };
                self.name_other(offset, later)
            }
        }
    }

    fn name_other(&mut self, offset: Offset, entry: Entry) -> Option<Entry> {
        let place = |&(at, other): &(Offset, Entry)| (at, other.leader_epoch());
        match self.others.binary_search_by_key(&(offset, entry.leader_epoch()), place) {
            Ok(found) => Some(self.others[found].1).filter(|&other| other != entry),
            Err(gap) => {
                self.others.insert(gap, (offset, entry));
                None
            }
        }
    }
}

impl Invariant for EpochOrder {
    type Ghost = NamedEntries;
    const NAME: &'static str = "epoch-order";
    const STATEMENT: &'static str = "epochs never decrease along a log; one (epoch, offset) names one entry in the whole history";

    #[inline]
    fn check<V: View>(
        ghost: &mut NamedEntries,
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        if !event.is_state_check() {
            return Ok(());
        }
        for node in view.nodes().iter() {
            let Some(from) = ledger.replica(node).log_change().first_changed() else { continue };
            let log = view.log(node);
            for index in from..log.len() {
                *tested += 1;
                let (offset, entry) = (Offset(index as u32 + 1), log[index]);
                let before = index.checked_sub(1).map(|index| log[index]);
                if let Some(before) = before
                    && before.leader_epoch() > entry.leader_epoch()
                {
                    return Err(epoch_decreased(node, offset, before, entry));
                }
                if let Some(other) = ghost.name(offset, entry) {
                    return Err(two_entries(node, offset, other, entry));
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn epoch_decreased(node: NodeId, offset: Offset, before: Entry, entry: Entry) -> Finding {
    Evidence::new(
        "epoch-decreased-in-log",
        "in the log of {node}, {entry} at offset {offset} follows {before}, of a later epoch",
    )
    .with("node", Fact::Node(node))
    .with("offset", Fact::Offset(offset))
    .with("before", Fact::Entry(Some(before)))
    .with("entry", Fact::Entry(Some(entry)))
    .into()
}

#[cold]
fn two_entries(node: NodeId, offset: Offset, other: Entry, entry: Entry) -> Finding {
    Evidence::new(
        "epoch-and-offset-name-two-entries",
        "{node} has {entry} at offset {offset}, where the same epoch already wrote {other}",
    )
    .with("node", Fact::Node(node))
    .with("offset", Fact::Offset(offset))
    .with("other", Fact::Entry(Some(other)))
    .with("entry", Fact::Entry(Some(entry)))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::EpochOrder;
    use crate::testing::{Dice, Partition, Run, entry};
    use std::collections::HashMap;

    #[test]
    fn epochs_must_not_decrease_along_a_log() {
        let mut run = Run::new(EpochOrder, Partition::of(3));
        run.partition.append(1, entry(2, 0, 0));
        run.check();
        run.assert_holds();
        run.partition.append(1, entry(1, 0, 1));
        run.check();
        run.assert_violated(
            "epoch-decreased-in-log",
            "in the log of node-2, k0=v1 of epoch 1 at offset 2 follows k0=v0 of epoch 2, of a later epoch",
        );
    }

    #[test]
    fn an_epoch_and_an_offset_must_name_one_entry() {
        let words = "node-3 has k0=v1 of epoch 2 at offset 1, where the same epoch already wrote k0=v0 of epoch 2";
        let mut run = Run::new(EpochOrder, Partition::of(3));
        run.partition.append(0, entry(2, 0, 0));
        run.check();
        run.partition.append(2, entry(2, 0, 1));
        run.check();
        run.assert_violated("epoch-and-offset-name-two-entries", words);
    }

    #[test]
    fn not_even_one_that_is_gone_and_was_neither_first_nor_last() {
        let words = "node-3 has k0=v9 of epoch 2 at offset 1, where the same epoch already wrote k0=v2 of epoch 2";
        for epochs in [[1, 2, 3], [3, 2, 1], [2, 3, 1], [2, 1, 3], [1, 3, 2], [3, 1, 2]] {
            let mut run = Run::new(EpochOrder, Partition::of(3));
            for epoch in epochs {
                run.partition.set_log(0, &[entry(epoch, 0, epoch as usize)]);
                run.check();
            }
            run.partition.set_log(0, &[]);
            run.check();
            run.assert_holds();
            run.partition.append(2, entry(2, 0, 9));
            run.check();
            run.assert_violated("epoch-and-offset-name-two-entries", words);
        }
    }

    #[test]
    fn what_is_remembered_does_not_depend_on_who_was_seen_first() {
        let remembered = |epochs: [u32; 3]| {
            let mut ghost = NamedEntries::default();
            for epoch in epochs {
                assert_eq!(ghost.name(Offset(1), entry(epoch, 0, epoch as usize)), None);
            }
            let mut words: Vec<u64> = Vec::new();
            ghost.encode(&mut words);
            words
        };
        for epochs in [[3, 2, 1], [2, 3, 1], [2, 1, 3], [1, 3, 2], [3, 1, 2]] {
            assert_eq!(remembered(epochs), remembered([1, 2, 3]));
        }
    }

    #[test]
    fn a_partition_that_is_not_fresh_is_looked_at_from_the_front() {
        let mut partition = Partition::with_log(&[entry(1, 0, 0), entry(1, 0, 1)], 2);
        partition.set_log(2, &[]);
        let mut run = Run::new(EpochOrder, partition);
        run.partition.append(0, entry(1, 0, 2));
        run.check();
        run.partition.set_log(2, &[entry(1, 0, 0), entry(1, 0, 1), entry(1, 0, 2)]);
        run.check();
        run.assert_holds();
        run.partition.set_log(2, &[entry(1, 0, 0), entry(1, 0, 5)]);
        run.check();
        run.assert_violated(
            "epoch-and-offset-name-two-entries",
            "node-3 has k0=v5 of epoch 1 at offset 2, where the same epoch already wrote k0=v1 of epoch 1",
        );
    }

    #[test]
    fn it_agrees_with_a_map_of_all_that_was_ever_seen() {
        let mut violated = 0;
        for seed in 0..2000 {
            let mut dice = Dice(seed);
            let mut run = Run::new(EpochOrder, Partition::of(3));
            let mut seen = HashMap::new();
            for _ in 0..20 {
                let index = dice.below(3);
                let mut log = run.partition.replicas[index].log.clone();
                log.truncate(dice.below(6));
                let last = log.last().map_or(1, |entry| entry.leader_epoch().0);
                let value = usize::from(dice.one_in(40));
                let base = if dice.one_in(40) { 1 } else { last };
                log.push(entry(base + dice.below(2) as u32, 0, value));
                run.partition.set_log(index, &log);
                run.check();
                let in_order = log.is_sorted_by_key(|entry| entry.leader_epoch());
                let mut has_one_name = true;
                for (offset, &entry) in log.iter().enumerate() {
                    let named = *seen.entry((offset, entry.leader_epoch())).or_insert(entry);
                    has_one_name &= named == entry;
                }
                let holds = run.checker().violations().is_empty();
                assert_eq!(holds, in_order && has_one_name, "seed {seed}");
                if !holds {
                    violated += 1;
                    break;
                }
            }
        }
        assert!((200..1800).contains(&violated), "{violated} of 2000 say little");
    }

    #[test]
    fn empty_logs_test_nothing() {
        let mut run = Run::new(EpochOrder, Partition::of(3));
        run.check();
        run.assert_untested();
    }
}
