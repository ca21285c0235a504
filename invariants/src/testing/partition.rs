//! A partition without rules, and what a checker sees of it.

use super::node;
use crate::vocabulary::{Entry, LeaderEpoch, NodeId, NodeSet, Offset, Table, View};

/// One replica. Whoever changes a field directly does so in [`Partition::meddle`].
#[derive(Clone, Default)]
pub struct Replica {
    pub log: Vec<Entry>,
    pub applied: Offset,
    pub durable: Vec<Entry>,
    pub data: Table,
    pub committed_data: Table,
    revision: u64,
}

/// A partition without rules: everything can be done to it. What the helpers do is honest: data is
/// the replay of the log, and committed data that of what is applied.
#[derive(Clone)]
pub struct Partition {
    pub alive: NodeSet,
    pub leader: Option<NodeId>,
    pub leader_epoch: LeaderEpoch,
    pub isr: NodeSet,
    pub min_insync_replicas: usize,
    pub high_watermark: Offset,
    pub replicas: Vec<Replica>,
    pub keeps_data: bool,
    revision: u64,
}

impl Partition {
    /// Nodes that are all up and in the ISR, with empty logs, led by the first.
    pub fn of(count: usize) -> Self {
        Self {
            alive: NodeSet::first(count),
            leader: Some(node(0)),
            leader_epoch: LeaderEpoch(1),
            isr: NodeSet::first(count),
            min_insync_replicas: 2,
            high_watermark: Offset::ZERO,
            replicas: vec![Replica::default(); count],
            keeps_data: true,
            revision: 0,
        }
    }

    /// Three nodes with the same `log`, committed and applied through `committed`.
    pub fn with_log(log: &[Entry], committed: u32) -> Self {
        let mut partition = Self::of(3);
        for index in 0..3 {
            partition.set_log(index, log);
        }
        partition.commit(committed);
        partition
    }

    /// Changes anything directly.
    pub fn meddle(&mut self, change: impl FnOnce(&mut Self)) {
        change(self);
        self.revision += 1;
        for replica in &mut self.replicas {
            replica.revision += 1;
        }
    }

    fn change(&mut self, index: usize, change: impl FnOnce(&mut Replica)) {
        let replica = &mut self.replicas[index];
        change(replica);
        replica.revision += 1;
        self.revision += 1;
    }

    pub fn append(&mut self, index: usize, entry: Entry) {
        self.change(index, |replica| {
            replica.log.push(entry);
            replica.data.apply(entry);
        });
    }

    pub fn append_everywhere(&mut self, entry: Entry) {
        for index in 0..self.replicas.len() {
            self.append(index, entry);
        }
    }

    /// Replaces a log. What was applied is applied anew, as far as the new log goes.
    pub fn set_log(&mut self, index: usize, log: &[Entry]) {
        self.change(index, |replica| {
            replica.log = log.to_vec();
            replica.data = Table::replay(log);
            replica.apply(replica.applied.min(Offset(log.len() as u32)));
        });
    }

    pub fn apply(&mut self, index: usize, through: u32) {
        self.change(index, |replica| replica.apply(Offset(through)));
    }

    /// Moves the high watermark, and everybody applies, as far as the logs go.
    pub fn commit(&mut self, high_watermark: u32) {
        self.set_high_watermark(high_watermark);
        for index in 0..self.replicas.len() {
            let end = self.replicas[index].log.len() as u32;
            self.apply(index, high_watermark.min(end));
        }
    }

    pub fn set_high_watermark(&mut self, high_watermark: u32) {
        self.revision += 1;
        self.high_watermark = Offset(high_watermark);
    }

    pub fn set_isr(&mut self, isr: NodeSet) {
        self.revision += 1;
        self.isr = isr;
    }

    pub fn fsync(&mut self, index: usize) {
        self.change(index, |replica| replica.durable.clone_from(&replica.log));
    }

    /// Takes a node down and out of the ISR.
    pub fn crash(&mut self, index: usize, lose_unfsynced: bool) {
        if lose_unfsynced {
            let durable = self.replicas[index].durable.clone();
            self.set_log(index, &durable);
        }
        self.revision += 1;
        self.alive.remove(node(index));
        self.isr.remove(node(index));
    }

    pub fn restart(&mut self, index: usize) {
        self.revision += 1;
        self.alive.insert(node(index));
    }

    /// Makes a node the leader of a new epoch. Its log stays as it is.
    pub fn elect(&mut self, index: usize) {
        self.revision += 1;
        self.leader = Some(node(index));
        self.leader_epoch.0 += 1;
    }
}

impl Replica {
    fn apply(&mut self, through: Offset) {
        self.applied = through;
        self.committed_data = Table::replay(&self.log[..through.entries()]);
    }
}

/// The partition as a checker sees it: with the revisions that it counts, or without any, so that
/// everything is looked at each time.
pub struct Look<'p> {
    pub partition: &'p Partition,
    pub has_revisions: bool,
}

impl View for Look<'_> {
    fn nodes(&self) -> NodeSet {
        NodeSet::first(self.partition.replicas.len())
    }

    fn alive(&self) -> NodeSet {
        self.partition.alive
    }

    fn leader(&self) -> Option<NodeId> {
        self.partition.leader
    }

    fn leader_epoch(&self) -> LeaderEpoch {
        self.partition.leader_epoch
    }

    fn isr(&self) -> NodeSet {
        self.partition.isr
    }

    fn min_insync_replicas(&self) -> usize {
        self.partition.min_insync_replicas
    }

    fn high_watermark(&self) -> Offset {
        self.partition.high_watermark
    }

    fn log(&self, node: NodeId) -> &[Entry] {
        &self.partition.replicas[node.index()].log
    }

    fn applied_high_watermark(&self, node: NodeId) -> Offset {
        self.partition.replicas[node.index()].applied
    }

    fn durable(&self, node: NodeId) -> Option<&[Entry]> {
        self.partition.keeps_data.then_some(&self.partition.replicas[node.index()].durable)
    }

    fn data(&self, node: NodeId) -> Option<&Table> {
        self.partition.keeps_data.then_some(&self.partition.replicas[node.index()].data)
    }

    fn committed_data(&self, node: NodeId) -> Option<&Table> {
        self.partition.keeps_data.then_some(&self.partition.replicas[node.index()].committed_data)
    }

    fn revision(&self) -> Option<u64> {
        self.has_revisions.then_some(self.partition.revision)
    }

    fn node_revision(&self, node: NodeId) -> Option<u64> {
        self.has_revisions.then_some(self.partition.replicas[node.index()].revision)
    }
}
