//! Ghost state: what has been promised so far, and what each replica looked like when last seen.
//!
//! The ledger is told every event before the invariants look at it. What it holds is part of a
//! state's identity when states are compared: two partitions that look alike but have promised
//! different things are different states.

mod shadow;

pub use shadow::{LogChange, Shadow};

use crate::canonical::{Canonical, Sink};
use crate::vocabulary::{
    AckLevel, Entry, Event, Log, MAX_NODES, NodeId, Offset, Renaming, Table, View, is_prefix,
};
use arrayvec::ArrayVec;
use smallvec::SmallVec;

/// What the partition has promised so far.
#[derive(Debug)]
pub struct Ledger {
    history: Log,
    committed: Table,
    acknowledged: SmallVec<[(Offset, Entry); 16]>,
    high_watermark: Offset,
    replicas: ArrayVec<Shadow, MAX_NODES>,
    revision: Option<u64>,
}

crate::clone_in_place!(Ledger:
    copied { history, acknowledged }
    cloned { committed, high_watermark, replicas, revision });

impl Ledger {
    /// A ledger for a partition that is now as `view` shows it.
    pub fn new<V: View>(view: &V) -> Self {
        let mut ledger = Self {
            history: Log::new(),
            committed: Table::default(),
            acknowledged: SmallVec::new(),
            high_watermark: Offset::ZERO,
            replicas: view.nodes().iter().map(|node| Shadow::unseen(view, node)).collect(),
            revision: None,
        };
        ledger.commit(view);
        ledger
    }

    /// The committed history: the entry at each offset when the high watermark first reached it.
    pub fn history(&self) -> &[Entry] {
        &self.history
    }

    /// The replay of the committed history.
    pub fn committed(&self) -> &Table {
        &self.committed
    }

    /// Every accepted `ALL_ISR` write, in the order of acceptance.
    pub fn acknowledged(&self) -> &[(Offset, Entry)] {
        &self.acknowledged
    }

    /// The highest high watermark that was ever seen, this event included.
    pub fn high_watermark(&self) -> Offset {
        self.high_watermark
    }

    /// What `node` looked like at this state check and the one before.
    pub fn replica(&self, node: NodeId) -> &Shadow {
        &self.replicas[node.index()]
    }

    /// Whether some committed entry is in no replica's log any more, not even in that of a node
    /// that is down.
    pub fn has_lost_an_entry<V: View>(&self, view: &V) -> bool {
        (0..self.history.len()).any(|index| {
            view.nodes().iter().all(|node| view.log(node).get(index) != Some(&self.history[index]))
        })
    }

    /// Whether anything that `view` shows may have changed since the last state check.
    #[inline]
    pub(crate) fn may_have_changed<V: View>(&self, view: &V) -> bool {
        self.revision.is_none() || self.revision != view.revision()
    }

    /// Takes note of `event`, before the invariants are checked.
    #[inline]
    pub(crate) fn take_note<V: View>(&mut self, event: Event, view: &V) {
        self.commit(view);
        match event {
            Event::WriteAnswered {
                accepted: true, ack: AckLevel::AllIsr, offset, entry, ..
            } => {
                self.acknowledged.push((offset, entry));
                // A new promise must be looked at even if nothing else changes.
                self.revision = None;
            }
            Event::Crashed { node, lost_unfsynced: true } => {
                self.replicas[node.index()].note_loss(view, node);
            }
            _ if event.is_state_check() => self.look_at(view),
            _ => {}
        }
    }

    #[inline]
    fn commit<V: View>(&mut self, view: &V) {
        let high_watermark = view.high_watermark();
        self.high_watermark = self.high_watermark.max(high_watermark);
        if high_watermark.entries() > self.history.len() {
            self.extend_history(view);
        }
    }

    /// Extends the committed history to the high watermark, by the live leader's log; if no leader
    /// is alive, by that of a live ISR member that reaches so far.
    fn extend_history<V: View>(&mut self, view: &V) {
        let high_watermark = view.high_watermark();
        let reaches = |&member: &NodeId| view.log_end_offset(member) >= high_watermark;
        let witness = view.live_leader().or_else(|| view.live_isr().iter().find(reaches));
        let Some(witness) = witness else { return };
        let log = view.log(witness);
        let end = high_watermark.entries().min(log.len());
        if let Some(fresh) = log.get(self.history.len()..end) {
            self.committed.apply_all(fresh);
            self.history.extend_from_slice(fresh);
        }
    }

    fn look_at<V: View>(&mut self, view: &V) {
        for node in view.nodes().iter() {
            self.replicas[node.index()].look_at(view, node);
        }
        self.revision = view.revision();
    }

    /// After the invariants have seen a state check: what is now is what was before.
    #[inline]
    pub(crate) fn turn_page(&mut self) {
        for replica in &mut self.replicas {
            replica.turn_page();
        }
    }

    /// Whether `log` holds the whole committed history.
    #[inline]
    pub fn is_history_in(&self, log: &[Entry]) -> bool {
        is_prefix(&self.history, log)
    }
}

impl Canonical for Ledger {
    fn encode(&self, sink: &mut impl Sink) {
        self.encode_renamed(&Renaming::identity(self.replicas.len()), sink);
    }
}

impl Ledger {
    /// The encoding that the ledger would have if nodes had other names.
    pub fn encode_renamed(&self, renaming: &Renaming, sink: &mut impl Sink) {
        self.history.encode(sink);
        sink.word(self.acknowledged.len() as u64);
        for (offset, entry) in &self.acknowledged {
            sink.word(u64::from(offset.0));
            sink.word(entry.bits());
        }
        sink.word(u64::from(self.high_watermark.0));
        for node in renaming.in_new_order() {
            self.replicas[node.index()].encode(sink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Look, Partition, entry, nodes, value};
    use crate::vocabulary::{KeyId, WriteId};

    const LOG: [Entry; 3] = [entry(1, 0, 0), entry(1, 0, 1), entry(1, 1, 2)];
    const OTHER: [Entry; 3] = [entry(2, 0, 7), entry(2, 0, 8), entry(2, 0, 9)];

    fn look(partition: &Partition) -> Look<'_> {
        Look { partition, has_revisions: true }
    }

    #[test]
    fn the_history_is_what_the_leader_had_when_hw_first_came_there() {
        let mut partition = Partition::with_log(&LOG, 0);
        let mut ledger = Ledger::new(&look(&partition));
        assert_eq!(ledger.history(), []);
        partition.set_log(1, &OTHER);
        partition.commit(2);
        ledger.take_note(Event::HighWatermarkAdvanced { from: Offset::ZERO }, &look(&partition));
        assert_eq!(ledger.history(), &LOG[..2]);
        assert_eq!(ledger.committed().get(KeyId(0)), Some(value(1)));
        assert_eq!(ledger.committed().get(KeyId(1)), None);
        partition.elect(1);
        partition.commit(3);
        ledger.take_note(Event::Ticked, &look(&partition));
        assert_eq!(ledger.history(), [LOG[0], LOG[1], OTHER[2]]);
        partition.commit(1);
        ledger.take_note(Event::Ticked, &look(&partition));
        assert_eq!(ledger.history().len(), 3);
        assert_eq!(ledger.high_watermark(), Offset(3));
    }

    #[test]
    fn while_no_leader_is_alive_an_isr_member_bears_witness() {
        let mut partition = Partition::with_log(&LOG, 0);
        partition.crash(0, true);
        partition.set_log(1, &LOG[..1]);
        partition.commit(2);
        let ledger = Ledger::new(&look(&partition));
        assert_eq!(ledger.history(), &LOG[..2]);
        partition.set_isr(nodes([1]));
        assert_eq!(Ledger::new(&look(&partition)).history(), []);
    }

    #[test]
    fn an_entry_is_lost_when_no_replica_has_it_at_its_place() {
        let mut partition = Partition::with_log(&LOG, 3);
        let ledger = Ledger::new(&look(&partition));
        for index in 0..3 {
            assert!(!ledger.has_lost_an_entry(&look(&partition)));
            partition.set_log(index, &OTHER);
        }
        assert!(ledger.has_lost_an_entry(&look(&partition)));
        partition.set_log(2, &[LOG[0], LOG[2], LOG[1]]);
        partition.crash(2, false);
        assert!(ledger.has_lost_an_entry(&look(&partition)));
        partition.set_log(2, &LOG);
        assert!(!ledger.has_lost_an_entry(&look(&partition)));
    }

    #[test]
    fn only_accepted_all_isr_writes_are_promises_and_a_promise_is_news() {
        let partition = Partition::with_log(&LOG, 3);
        let mut ledger = Ledger::new(&look(&partition));
        assert!(ledger.may_have_changed(&look(&partition)));
        ledger.take_note(Event::OperationEnded, &look(&partition));
        ledger.turn_page();
        let mut answer = |ack, accepted| {
            let (write, offset, entry) = (WriteId(0), Offset(2), LOG[1]);
            let event = Event::WriteAnswered { write, ack, accepted, offset, entry };
            ledger.take_note(event, &look(&partition));
            (ledger.acknowledged().len(), ledger.may_have_changed(&look(&partition)))
        };
        assert_eq!(answer(AckLevel::Leader, true), (0, false));
        assert_eq!(answer(AckLevel::AllIsr, false), (0, false));
        assert_eq!(answer(AckLevel::AllIsr, true), (1, true));
    }
}
