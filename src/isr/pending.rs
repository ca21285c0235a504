//! Writes that wait for the ISR. Waiting is not blocking: ticks resolve them, so that faults can
//! fall in the middle of a wait.

use crate::isr::branch::Branch;
use crate::isr::client::{WriteAnswer, WriteReason};
use crate::isr::guards::Guard;
use crate::isr::partition::Partition;
use crate::isr::settings::Settings;
use crate::isr::trace::Recorder;
use highwater_invariants::clone_in_place;
use highwater_invariants::{AckLevel, Entry, Offset, WriteId};
use smallvec::SmallVec;

/// What became of a write when it was submitted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Submission {
    /// It has its answer already.
    Answered(WriteAnswer),
    /// It was appended and waits for the ISR.
    Pending {
        /// The write, for [`Partition::take_answer`].
        write: WriteId,
        /// Where it was appended.
        offset: Offset,
    },
}

/// How a writer waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Patience {
    /// How many times the write is looked at, a tick apart. At least 1.
    pub looks: u64,
    /// Whether the answer is kept for [`Partition::take_answer`].
    pub keep_answer: bool,
}

impl Patience {
    /// As clients wait: for the configured ack timeout.
    pub const fn of_client(settings: &Settings, keep_answer: bool) -> Self {
        Self { looks: settings.ack_timeout_ticks, keep_answer }
    }
}

/// A write that was appended and has no answer yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingWrite {
    pub write: WriteId,
    pub offset: Offset,
    pub entry: Entry,
    /// How many times it will still be looked at.
    pub looks_left: u64,
    keep_answer: bool,
}

/// The writes that wait, and the kept answers of those that no longer do.
#[derive(Debug, Default)]
pub struct PendingWrites {
    waiting: SmallVec<[PendingWrite; 4]>,
    answers: SmallVec<[(WriteId, WriteAnswer); 2]>,
    submitted: u32,
}

clone_in_place!(PendingWrites: copied { waiting, answers } cloned { submitted });

impl PendingWrites {
    pub fn next_write(&mut self) -> WriteId {
        let write = WriteId(self.submitted);
        self.submitted += 1;
        write
    }

    /// How many writes were submitted so far.
    pub fn submitted(&self) -> usize {
        self.submitted as usize
    }

    /// The writes that wait, in order of submission.
    pub fn waiting(&self) -> &[PendingWrite] {
        &self.waiting
    }

    pub fn take_answer(&mut self, write: WriteId) -> Option<WriteAnswer> {
        let index = self.answers.iter().position(|&(other, _)| other == write)?;
        Some(self.answers.remove(index).1)
    }

    /// The write still waits, but nobody waits for its answer any more.
    pub fn forget(&mut self, write: WriteId) {
        for pending in self.waiting.iter_mut().filter(|pending| pending.write == write) {
            pending.keep_answer = false;
        }
    }
}

impl Partition {
    /// How many writes wait for the ISR.
    pub fn pending_writes(&self) -> usize {
        self.pending.waiting.len()
    }

    /// Where writes that wait for the ISR were appended, in order of submission.
    pub fn pending_offsets(&self) -> impl Iterator<Item = Offset> {
        self.pending.waiting.iter().map(|pending| pending.offset)
    }

    /// A write that was just appended is looked at once at the moment, and then after every tick.
    pub(crate) fn wait_for_isr(
        &mut self,
        write: WriteId,
        offset: Offset,
        entry: Entry,
        patience: Patience,
        recorder: &mut impl Recorder,
    ) -> Submission {
        let Patience { looks: looks_left, keep_answer } = patience;
        let pending = PendingWrite { write, offset, entry, looks_left, keep_answer };
        match self.look_at(pending, recorder) {
            Ok(answer) => Submission::Answered(answer),
            Err(pending) => {
                self.pending.waiting.push(pending);
                Submission::Pending { write, offset }
            }
        }
    }

    #[inline]
    pub(crate) fn look_at_pending_writes(&mut self, recorder: &mut impl Recorder) {
        let mut index = 0;
        while index < self.pending.waiting.len() {
            let pending = self.pending.waiting[index];
            match self.look_at(pending, recorder) {
                Err(pending) => {
                    self.pending.waiting[index] = pending;
                    index += 1;
                }
                Ok(answer) => {
                    self.pending.waiting.remove(index);
                    if pending.keep_answer {
                        self.pending.answers.push((pending.write, answer));
                    }
                }
            }
        }
    }

    /// One look: the answer, or the write with one look less. A write that has used up its looks
    /// fails without another look.
    fn look_at(
        &mut self,
        mut pending: PendingWrite,
        recorder: &mut impl Recorder,
    ) -> Result<WriteAnswer, PendingWrite> {
        let is_over = self.has(Guard::FenceWaitingWrites)
            && (!self.leader_serves()
                || pending.entry.leader_epoch() != self.controller.leader_epoch());
        let accepted = if pending.looks_left == 0 {
            self.reach(Branch::WriteTimesOut);
            false
        } else if is_over {
            self.reach(Branch::WriteFenced);
            false
        } else {
            pending.looks_left -= 1;
            self.refresh(recorder);
            if self.has(Guard::WaitAboveMinInsync) && !self.has_min_insync() {
                self.reach(Branch::WriteFailsWhileWaiting);
                false
            } else if self.every_isr_member_reaches(pending.offset) {
                self.refresh(recorder);
                self.controller.high_watermark() >= pending.offset
            } else {
                return Err(pending);
            }
        };
        if accepted {
            self.reach_by_acceptance();
        }
        let reason =
            if accepted { WriteReason::IsrAcknowledged } else { WriteReason::NotAcknowledged };
        let answer = WriteAnswer { accepted, offset: pending.offset, reason };
        self.answer(pending.write, AckLevel::AllIsr, pending.entry, answer, recorder);
        Ok(answer)
    }

    fn reach_by_acceptance(&mut self) {
        if self.controller.controller_epoch() > 1 {
            self.reach(Branch::WriteAfterElection);
        }
        if self.has_lost {
            self.reach(Branch::WriteAfterLossyCrash);
        }
        if self.has_rejoined {
            self.reach(Branch::WriteAfterRejoin);
        }
    }

    fn every_isr_member_reaches(&self, offset: Offset) -> bool {
        self.controller.isr().iter().all(|node| self.acknowledged_end(node) >= offset)
    }
}
