//! What replication messages carry.

use highwater_invariants::{Entry, LeaderEpoch, Log, NodeId, Offset, Table};

/// A message's content as the network carries it: small and `Copy`. The log of a snapshot waits in
/// [`Snapshots`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Payload {
    /// In whose name it is sent.
    pub source_leader: NodeId,
    /// The packet's authority.
    pub leader_epoch: LeaderEpoch,
    pub content: Content,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// One entry, with its own (historical) leader epoch.
    /// `after` is the epoch of the entry that it follows in the sender's log; 0 if it is the first.
    Append { offset: Offset, entry: Entry, after: LeaderEpoch },
    /// The leader's whole log.
    Snapshot(SnapshotSlot),
}

/// Where a snapshot in flight waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotSlot(u32);

/// A leader's log, data and high watermark at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub log: Log,
    pub data: Table,
    pub high_watermark: Offset,
}

/// The snapshots in flight. Slots are used again, so that a long run does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Snapshots {
    slots: Vec<Snapshot>,
    free: Vec<SnapshotSlot>,
}

impl Snapshots {
    /// A slot to fill, and its number.
    pub fn take_slot(&mut self) -> (SnapshotSlot, &mut Snapshot) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Snapshot::default());
            SnapshotSlot(self.slots.len() as u32 - 1)
        });
        (slot, &mut self.slots[slot.0 as usize])
    }

    pub fn get(&self, slot: SnapshotSlot) -> &Snapshot {
        &self.slots[slot.0 as usize]
    }

    /// Copies a snapshot in flight; the slot of the copy.
    pub fn duplicate(&mut self, slot: SnapshotSlot) -> SnapshotSlot {
        let copy = self.get(slot).clone();
        let (slot, room) = self.take_slot();
        *room = copy;
        slot
    }

    /// The snapshot has arrived or is lost.
    pub fn release(&mut self, slot: SnapshotSlot) {
        self.free.push(slot);
    }
}

/// A message's content as a trace shows it: complete.
#[expect(clippy::large_enum_variant, reason = "made only while tracing")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShownPayload {
    /// One entry.
    Append {
        /// In whose name it is sent.
        source_leader: NodeId,
        /// The packet's authority.
        leader_epoch: LeaderEpoch,
        /// Where the entry belongs.
        offset: Offset,
        /// The entry, with its own (historical) leader epoch.
        entry: Entry,
    },
    /// The leader's whole log.
    Snapshot {
        /// In whose name it is sent.
        source_leader: NodeId,
        /// The packet's authority.
        leader_epoch: LeaderEpoch,
        /// The log.
        log: Log,
        /// Its replay.
        data: Table,
        /// What the leader knew to be committed.
        high_watermark: Offset,
    },
}

impl Payload {
    /// The content for a trace.
    pub fn shown(self, snapshots: &Snapshots) -> ShownPayload {
        let Self { source_leader, leader_epoch, content } = self;
        match content {
            Content::Append { offset, entry, .. } => {
                ShownPayload::Append { source_leader, leader_epoch, offset, entry }
            }
            Content::Snapshot(slot) => {
                let Snapshot { log, data, high_watermark } = snapshots.get(slot).clone();
                ShownPayload::Snapshot { source_leader, leader_epoch, log, data, high_watermark }
            }
        }
    }
}
