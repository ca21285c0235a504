//! Ghost state: what has been promised so far, and what each replica looked like when last seen.
//!
//! The ledger is told every event before the invariants look at it. What it holds is part of a
//! state's identity when states are compared: two partitions that look alike but have promised
//! different things are different states.

mod shadow;

pub use shadow::{LogChange, Shadow};

use crate::canonical::{Canonical, Sink};
use crate::vocabulary::{
    AckLevel, Entry, Event, Log, MAX_NODES, NodeId, Offset, Table, View, is_prefix,
};
use arrayvec::ArrayVec;
use smallvec::SmallVec;

/// What the partition has promised so far.
#[derive(Clone, Debug)]
pub struct Ledger {
    history: Log,
    committed: Table,
    acknowledged: SmallVec<[(Offset, Entry); 16]>,
    high_watermark: Offset,
    high_watermark_before: Offset,
    replicas: ArrayVec<Shadow, MAX_NODES>,
    revision: Option<u64>,
}

impl Ledger {
    /// A ledger for a partition that is now as `view` shows it.
    pub fn new<V: View>(view: &V) -> Self {
        let mut ledger = Self {
            history: Log::new(),
            committed: Table::default(),
            acknowledged: SmallVec::new(),
            high_watermark: view.high_watermark(),
            high_watermark_before: view.high_watermark(),
            replicas: view.nodes().iter().map(|_| Shadow::default()).collect(),
            revision: None,
        };
        ledger.look_at(view);
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

    /// The partition's high watermark at the state check before this one.
    pub fn high_watermark_before(&self) -> Offset {
        self.high_watermark_before
    }

    /// The highest high watermark that was ever seen at an event.
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
        match event {
            Event::HighWatermarkAdvanced { .. } => self.commit(view),
            Event::WriteAnswered {
                accepted: true, ack: AckLevel::AllIsr, offset, entry, ..
            } => {
                self.acknowledged.push((offset, entry));
                // A new promise must be looked at even if nothing else changes.
                self.revision = None;
            }
            Event::Crashed { node, lost_unfsynced: true } => {
                self.replicas[node.index()].note_loss();
            }
            Event::Ticked | Event::OperationEnded => self.look_at(view),
            _ => {}
        }
    }

    /// Extends the committed history to the high watermark, by the live leader's log.
    fn commit<V: View>(&mut self, view: &V) {
        self.high_watermark = self.high_watermark.max(view.high_watermark());
        let Some(leader) = view.live_leader() else { return };
        let log = view.log(leader);
        let end = view.high_watermark().entries().min(log.len());
        if end > self.history.len() {
            let fresh = &log[self.history.len()..end];
            self.committed.apply_all(fresh);
            self.history.extend_from_slice(fresh);
        }
    }

    fn look_at<V: View>(&mut self, view: &V) {
        self.commit(view);
        for node in view.nodes().iter() {
            self.replicas[node.index()].look_at(view, node);
        }
        self.revision = view.revision();
    }

    /// After the invariants have seen a state check: what is now is what was before.
    #[inline]
    pub(crate) fn turn_page<V: View>(&mut self, view: &V) {
        self.high_watermark_before = view.high_watermark();
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
        self.history.encode(sink);
        sink.word(self.acknowledged.len() as u64);
        for (offset, entry) in &self.acknowledged {
            sink.word(u64::from(offset.0));
            sink.word(entry.bits());
        }
        sink.word(u64::from(self.high_watermark.0) << 32 | u64::from(self.high_watermark_before.0));
        for replica in &self.replicas {
            replica.encode(sink);
        }
    }
}
