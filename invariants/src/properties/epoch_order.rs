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
#[derive(Clone, Debug, Default)]
pub struct NamedEntries {
    /// The entry of the earliest epoch at each offset: enough as long as nothing is ever rewritten.
    first: Log,
    /// Further entries, of later epochs, sorted by (offset, epoch).
    others: SmallVec<[(Offset, Entry); 8]>,
}

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
