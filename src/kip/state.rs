//! The whole state, in a few machine words.

use crate::kip::rules::Rules;
use highwater_invariants::{
    Belief, Entry, LeaderEpoch, NodeId, NodeSet, Offset, Renaming, Sink, Table, View,
};

/// The most replicas.
pub(super) const REPLICAS_MAX: usize = 4;
/// The most records of a log, and in all.
const RECORDS_MAX: usize = 7;
/// The largest leader epoch.
const EPOCH_MAX: u8 = 6;
/// Nobody.
pub(super) const NOBODY: u8 = 0xf;

/// Constants of the specifications, and the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KipSettings {
    /// How many replicas.
    pub replicas: usize,
    /// How many records a log can hold.
    pub log_size: u8,
    /// How many records are ever written.
    pub max_records: u8,
    /// The last leader epoch; the first is 0.
    pub max_leader_epoch: u8,
    /// Which rules.
    pub rules: Rules,
}

/// A constant that is too small or too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} {value} is out of range {min} to {max}")]
pub struct SizeError {
    /// Which.
    pub name: &'static str,
    /// What it is.
    pub value: usize,
    /// The least that it may be.
    pub min: usize,
    /// The most.
    pub max: usize,
}

impl KipSettings {
    /// Makes sure that a state has room for everything.
    ///
    /// # Errors
    /// Names the constant that is out of range.
    pub fn check(&self) -> Result<(), SizeError> {
        for (name, value, min, max) in [
            ("replicas", self.replicas, 1, REPLICAS_MAX),
            ("log size", self.log_size.into(), 1, RECORDS_MAX),
            ("max records", self.max_records.into(), 1, RECORDS_MAX),
            ("max leader epoch", self.max_leader_epoch.into(), 0, EPOCH_MAX.into()),
        ] {
            if !(min..=max).contains(&value) {
                return Err(SizeError { name, value, min, max });
            }
        }
        Ok(())
    }
}

/// A record: its id and the leader epoch in which it was written.
pub(super) type Record = u8;

pub(super) const fn record(id: u8, epoch: i8) -> Record {
    // An epoch is -1 to 6; what leads has one from 0 on.
    id << 4 | epoch as u8
}

pub(super) const fn epoch_of(record: Record) -> i8 {
    (record & 0xf) as i8
}

/// Leader, epoch and ISR, as somebody knows them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Quorum {
    pub(super) leader: u8,
    pub(super) epoch: i8,
    pub(super) isr: u8,
}

/// A replica.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Replica {
    /// Records by offset; what lies at and beyond `end` is 0.
    pub(super) log: [Record; 8],
    pub(super) end: u8,
    pub(super) high_watermark: u8,
    /// What it last learned.
    pub(super) known: Quorum,
}

/// The state of all replicas and of the controller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KipState {
    pub(super) replicas: [Replica; REPLICAS_MAX],
    /// The controller's decisions by epoch, as far as there are any.
    pub(super) decisions: [Quorum; 8],
    pub(super) quorum: Quorum,
    pub(super) next_record: u8,
    pub(super) next_epoch: u8,
    pub(super) number: u8,
    /// Not part of a state's identity: the same in all states of an exploration.
    pub(super) settings: KipSettings,
}

impl Replica {
    /// The record at `offset`, if there is one.
    #[inline]
    pub(super) fn get(&self, offset: u8) -> Option<Record> {
        (offset < self.end).then(|| self.log[usize::from(offset)])
    }

    /// The last record.
    #[inline]
    pub(super) fn last(&self) -> Option<Record> {
        self.get(self.end.wrapping_sub(1))
    }

    #[inline]
    pub(super) fn append(&mut self, record: Record) {
        self.log[usize::from(self.end)] = record;
        self.end += 1;
    }

    #[inline]
    pub(super) fn truncate(&mut self, end: u8) {
        self.log[usize::from(end)..usize::from(self.end)].fill(0);
        self.end = end;
    }

    #[inline]
    pub(super) fn presumes_leadership(&self, own: usize) -> bool {
        usize::from(self.known.leader) == own
    }
}

impl KipState {
    pub(super) fn initial(settings: &KipSettings) -> Self {
        let nobody = |isr| Quorum { leader: NOBODY, epoch: -1, isr };
        let replica = Replica { log: [0; 8], end: 0, high_watermark: 0, known: nobody(0) };
        Self {
            replicas: [replica; REPLICAS_MAX],
            decisions: [nobody(0); 8],
            quorum: nobody((1 << settings.replicas) - 1),
            next_record: 0,
            next_epoch: 0,
            number: settings.replicas as u8,
            settings: *settings,
        }
    }

    /// The replicas, by number.
    #[inline]
    pub(super) fn numbers(&self) -> std::ops::Range<usize> {
        0..usize::from(self.number)
    }

    /// Writes everything but the settings.
    #[inline]
    pub(super) fn encode(&self, sink: &mut impl Sink) {
        self.encode_by(self.numbers(), |replica| replica, |set| set, sink);
    }

    /// The same in the order and by the names that nodes would have.
    pub(super) fn encode_renamed(&self, renaming: &Renaming, sink: &mut impl Sink) {
        self.encode_by(
            renaming.in_new_order().map(NodeId::index),
            |replica| renaming.node(NodeId::new(replica.into())).index() as u8,
            |set| renaming.set(nodes_of(set)).bits() as u8,
            sink,
        );
    }

    #[inline]
    fn encode_by(
        &self,
        order: impl Iterator<Item = usize>,
        rename: impl Fn(u8) -> u8,
        rename_set: impl Fn(u8) -> u8,
        sink: &mut impl Sink,
    ) {
        let quorum = |quorum: Quorum| {
            let leader = if quorum.leader == NOBODY { NOBODY } else { rename(quorum.leader) };
            let isr = u64::from(rename_set(quorum.isr));
            isr << 8 | u64::from(leader) << 4 | (quorum.epoch + 1) as u64
        };
        let counters = u64::from(self.next_record) << 4 | u64::from(self.next_epoch);
        sink.word(quorum(self.quorum) << 16 | counters);
        for number in order {
            let replica = &self.replicas[number];
            sink.word(u64::from_le_bytes(replica.log));
            let numbers = u64::from(replica.end) << 4 | u64::from(replica.high_watermark);
            sink.word(quorum(replica.known) << 16 | numbers);
        }
        for pair in self.decisions[..usize::from(self.next_epoch)].chunks(2) {
            sink.word(pair.iter().fold(0, |word, &decision| word << 32 | quorum(decision)));
        }
    }
}

/// The members of a set of replicas.
pub(super) fn members(set: u8) -> impl Iterator<Item = u8> {
    (0..REPLICAS_MAX as u8).filter(move |member| set & 1 << member != 0)
}

/// A set of replicas as a set of nodes.
#[inline]
pub(super) const fn nodes_of(set: u8) -> NodeSet {
    NodeSet::from_bits(set as u16)
}

impl KipState {
    /// The records of a replica: id and leader epoch of each.
    pub fn records(&self, node: NodeId) -> impl Iterator<Item = (u8, i8)> {
        let replica = &self.replicas[node.index()];
        replica.log[..usize::from(replica.end)].iter().map(|&one| (one >> 4, epoch_of(one)))
    }
}

impl View for KipState {
    fn nodes(&self) -> NodeSet {
        NodeSet::first(self.number.into())
    }

    fn alive(&self) -> NodeSet {
        View::nodes(self)
    }

    fn leader(&self) -> Option<NodeId> {
        (self.quorum.leader != NOBODY).then(|| NodeId::new(self.quorum.leader.into()))
    }

    fn leader_epoch(&self) -> LeaderEpoch {
        LeaderEpoch((self.quorum.epoch + 1) as u32)
    }

    fn isr(&self) -> NodeSet {
        nodes_of(self.quorum.isr)
    }

    fn min_insync_replicas(&self) -> usize {
        1
    }

    /// Each replica has its own; there is none of the partition.
    fn high_watermark(&self) -> Offset {
        Offset::ZERO
    }

    /// Records are packed; [`View::agree_through`] compares them.
    fn log(&self, _node: NodeId) -> &[Entry] {
        &[]
    }

    fn applied_high_watermark(&self, node: NodeId) -> Offset {
        Offset(self.replicas[node.index()].high_watermark.into())
    }

    fn durable(&self, _node: NodeId) -> Option<&[Entry]> {
        None
    }

    fn data(&self, _node: NodeId) -> Option<&Table> {
        None
    }

    fn committed_data(&self, _node: NodeId) -> Option<&Table> {
        None
    }

    fn log_end_offset(&self, node: NodeId) -> Offset {
        Offset(self.replicas[node.index()].end.into())
    }

    #[inline]
    fn belief(&self, node: NodeId) -> Option<Belief> {
        let replica = &self.replicas[node.index()];
        Some(Belief {
            leads: replica.presumes_leadership(node.index()),
            isr: nodes_of(replica.known.isr),
            high_watermark: Offset(replica.high_watermark.into()),
        })
    }

    #[inline]
    fn agree_through(&self, one: NodeId, other: NodeId, end: Offset) -> bool {
        let (one, other) = (&self.replicas[one.index()], &self.replicas[other.index()]);
        let end = end.0;
        // A log is a word, its first record in the lowest byte.
        let differ = u64::from_le_bytes(one.log) ^ u64::from_le_bytes(other.log);
        let here = !(u64::MAX << (8 * end.min(7)));
        u32::from(one.end.min(other.end)) >= end && differ & here == 0
    }
}
