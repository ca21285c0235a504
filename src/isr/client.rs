//! Client reads and writes (PROTOCOL.md section 5).

use crate::isr::branch::Branch;
use crate::isr::error::IsrError;
use crate::isr::guards::Guard;
use crate::isr::partition::{Partition, Result};
use crate::isr::pending::{Patience, Submission};
use crate::isr::trace::{IsrEvent, Recorder};
use highwater_invariants::{
    AckLevel, Entry, Event, KeyId, NodeId, Offset, ReadLevel, ValueId, WriteId,
};

/// What a writer is told.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WriteAnswer {
    /// Whether the write succeeded at the level asked for.
    pub accepted: bool,
    /// The entry's offset; the leader's log end if the write was refused at admission.
    pub offset: Offset,
    /// Why.
    pub reason: WriteReason,
}

/// Why a write was accepted or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WriteReason {
    /// Refused at admission; nothing was appended.
    BelowMinInsync,
    /// Accepted on the leader's word alone.
    LeaderAppended,
    /// Accepted: every ISR member has it, and it is committed.
    IsrAcknowledged,
    /// Appended, but not acknowledged in time or not with enough members.
    NotAcknowledged,
}

impl WriteReason {
    /// The reference simulator's message.
    pub const fn message(self) -> &'static str {
        match self {
            Self::BelowMinInsync => "current ISR is below min.insync.replicas",
            Self::LeaderAppended => "leader appended without waiting for ISR",
            Self::IsrAcknowledged => "all current ISR replicas acknowledged and HW advanced",
            Self::NotAcknowledged => "ALL_ISR could not satisfy min.insync or HW before timeout",
        }
    }
}

/// What a reader is told.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReadAnswer {
    /// Who answered.
    pub node: NodeId,
    /// Through which offset the answer claims to hold.
    pub offset: Offset,
    /// The value, if the key has one.
    pub value: Option<ValueId>,
}

impl Partition {
    /// Writes, and waits for the answer as long as it takes: a loop of ticks over
    /// [`Partition::submit`].
    pub fn write(
        &mut self,
        key: KeyId,
        value: ValueId,
        ack: AckLevel,
        recorder: &mut impl Recorder,
    ) -> Result<WriteAnswer> {
        let patience = Patience::of_client(&self.settings, true);
        let write = match self.submit(key, value, ack, patience, recorder)? {
            Submission::Answered(answer) => return Ok(answer),
            Submission::Pending { write, .. } => write,
        };
        loop {
            self.tick(recorder);
            if let Some(answer) = self.pending.take_answer(write) {
                return Ok(answer);
            }
            if self.halted {
                self.pending.forget(write);
                return Err(IsrError::OverMessageBudget);
            }
        }
    }

    /// Submits a write. If it must wait, ticks resolve it; `patience` says for how long, and whether
    /// the answer is kept for [`Partition::take_answer`] (an observer is told in any case).
    pub fn submit(
        &mut self,
        key: KeyId,
        value: ValueId,
        ack: AckLevel,
        patience: Patience,
        recorder: &mut impl Recorder,
    ) -> Result<Submission> {
        if matches!(ack, AckLevel::None | AckLevel::Quorum) {
            return Err(IsrError::UnsupportedAck(ack));
        }
        let leader = self.require_leader()?;
        let write = self.pending.next_write();
        recorder.observe(Event::WriteSubmitted { write, key, value, ack }, self);
        self.refresh(recorder);
        if ack == AckLevel::AllIsr && !self.has_min_insync() {
            recorder.observe(Event::WriteRefused { write }, self);
            return Ok(Submission::Answered(WriteAnswer {
                accepted: false,
                offset: self.replica(leader).log_end_offset(),
                reason: WriteReason::BelowMinInsync,
            }));
        }
        let (offset, entry) = self.append_to_leader(write, key, value, recorder);
        if ack == AckLevel::Leader {
            let answer =
                WriteAnswer { accepted: true, offset, reason: WriteReason::LeaderAppended };
            self.answer(write, ack, entry, answer, recorder);
            return Ok(Submission::Answered(answer));
        }
        Ok(self.wait_for_isr(write, offset, entry, patience, recorder))
    }

    /// The answer of a write that was submitted with [`Patience::keep_answer`], once; `None` while it waits.
    pub fn take_answer(&mut self, write: WriteId) -> Option<WriteAnswer> {
        self.pending.take_answer(write)
    }

    fn append_to_leader(
        &mut self,
        write: WriteId,
        key: KeyId,
        value: ValueId,
        recorder: &mut impl Recorder,
    ) -> (Offset, Entry) {
        let leader = self.controller.leader();
        let leader_epoch = self.controller.leader_epoch();
        let entry = Entry::new(leader_epoch, key, value);
        self.replica_mut(leader).append(entry, true);
        if self.keeps_append_times() {
            self.appended_at.push(self.now());
        }
        let offset = self.replica(leader).log_end_offset();
        self.trace(recorder, || IsrEvent::EntryAppended { node: leader, leader_epoch, offset });
        let capacity = self.settings.log_retention_entries;
        if self.retained.push(offset, entry, capacity) {
            self.reach(Branch::RetentionOverflows);
        }
        self.trace(recorder, || IsrEvent::LeaderAppended { leader, leader_epoch, offset });
        recorder.observe(Event::WriteAppended { write, offset, entry }, self);
        for follower in self.peers(leader).iter() {
            self.send_entry(follower, offset, entry, recorder);
        }
        (offset, entry)
    }

    /// Tells the client.
    pub(crate) fn answer(
        &self,
        write: WriteId,
        ack: AckLevel,
        entry: Entry,
        answer: WriteAnswer,
        recorder: &mut impl Recorder,
    ) {
        let WriteAnswer { accepted, offset, .. } = answer;
        self.trace(recorder, || IsrEvent::ClientWriteResult {
            ack,
            accepted,
            offset,
            isr: self.controller.isr(),
            high_watermark: self.controller.high_watermark(),
        });
        recorder.observe(Event::WriteAnswered { write, ack, accepted, offset, entry }, self);
    }

    /// Reads at a level. Reads never refresh.
    pub fn read(
        &mut self,
        key: KeyId,
        level: ReadLevel,
        node: Option<NodeId>,
        recorder: &mut impl Recorder,
    ) -> Result<ReadAnswer> {
        if level != ReadLevel::Local && node.is_some() {
            return Err(IsrError::NodeNotAccepted(level));
        }
        let node = node.unwrap_or(self.controller.leader());
        self.require_up(node)?;
        if level != ReadLevel::Local {
            self.require_leader()?;
        }
        if level == ReadLevel::Linearizable {
            return self.read_committed(node, key, recorder);
        }
        let replica = self.replica(node);
        let value = replica.data().get(key);
        Ok(self.serve(
            ReadAnswer { node, offset: replica.log_end_offset(), value },
            key,
            level,
            recorder,
        ))
    }

    /// Reads at `node`, which must be a leader with a valid lease.
    pub fn lease_read(
        &mut self,
        node: NodeId,
        key: KeyId,
        recorder: &mut impl Recorder,
    ) -> Result<ReadAnswer> {
        let is_owner = node == self.controller.leader() || !self.has(Guard::LeaseOwner);
        if !is_owner || !self.lease_is_valid() {
            self.reach(if node == self.controller.leader() {
                Branch::LeaseExpired
            } else {
                Branch::LeaseReadFenced
            });
            return Err(IsrError::LeaseExpiredOrFenced);
        }
        self.require_up(node)?;
        self.read_committed(node, key, recorder)
    }

    /// Data that exists on the leader is not data that an authoritative read may return: only what
    /// is committed, and only if nothing beyond it exists.
    fn read_committed(
        &mut self,
        node: NodeId,
        key: KeyId,
        recorder: &mut impl Recorder,
    ) -> Result<ReadAnswer> {
        self.require_leader()?;
        let offset = self.controller.high_watermark();
        let is_committed_only = self.has(Guard::ReadCommitted);
        let refusal = if is_committed_only && self.replica(node).log_end_offset() > offset {
            Some(Branch::UncommittedSuffix)
        } else if !self.lease_is_valid() {
            Some(Branch::LeaseExpired)
        } else if !self.has_min_insync() {
            Some(Branch::ReadBelowMinInsync)
        } else {
            None
        };
        if let Some(branch) = refusal {
            self.reach(branch);
            return Err(IsrError::NoCommittedLease);
        }
        let replica = self.replica(node);
        let data = if is_committed_only { replica.committed_data() } else { replica.data() };
        let value = data.get(key);
        Ok(self.serve(ReadAnswer { node, offset, value }, key, ReadLevel::Linearizable, recorder))
    }

    fn serve(
        &self,
        answer: ReadAnswer,
        key: KeyId,
        level: ReadLevel,
        recorder: &mut impl Recorder,
    ) -> ReadAnswer {
        let ReadAnswer { node, offset, value } = answer;
        self.trace(recorder, || IsrEvent::ClientRead { node, level, offset, value });
        recorder.observe(Event::ReadServed { level, node, key, value, offset }, self);
        answer
    }
}
