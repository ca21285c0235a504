//! Faults of the network beyond PROTOCOL.md: they happen to single messages in flight, and to one
//! direction of a link. The protocol's behaviour is unchanged where none is used.

use crate::isr::branch::Branch;
use crate::isr::error::IsrError;
use crate::isr::partition::{Partition, Result};
use crate::isr::payload::{Content, Payload};
use crate::isr::trace::Recorder;
use highwater_invariants::NodeId;

impl Partition {
    /// Loses message number `nth` in the order of arrivals, the next one being 0.
    pub fn drop_message(&mut self, nth: usize, recorder: &mut impl Recorder) -> Result<()> {
        let message = self.network.drop_nth(nth, recorder).ok_or(IsrError::NoSuchMessage(nth))?;
        self.release(message.payload.content);
        self.reach(Branch::MessageLost);
        Ok(())
    }

    /// Lets message number `nth` arrive twice.
    pub fn duplicate_message(&mut self, nth: usize, recorder: &mut impl Recorder) -> Result<()> {
        let snapshots = &mut self.snapshots;
        let copy = |payload: Payload| match payload.content {
            Content::Append { .. } => payload,
            Content::Snapshot(slot) => {
                Payload { content: Content::Snapshot(snapshots.duplicate(slot)), ..payload }
            }
        };
        if !self.network.duplicate_nth(nth, copy, recorder) {
            return Err(IsrError::NoSuchMessage(nth));
        }
        self.sent_by_operations += 1;
        self.reach(Branch::MessageDuplicated);
        Ok(())
    }

    /// Lets message number `nth` arrive `ticks` later.
    pub fn delay_message(
        &mut self,
        nth: usize,
        ticks: u64,
        recorder: &mut impl Recorder,
    ) -> Result<()> {
        if !self.network.delay_nth(nth, ticks, recorder) {
            return Err(IsrError::NoSuchMessage(nth));
        }
        self.reach(Branch::MessageDelayed);
        Ok(())
    }

    /// Lets the message behind number `nth` overtake it.
    pub fn reorder_message(&mut self, nth: usize, recorder: &mut impl Recorder) -> Result<()> {
        if !self.network.reorder_nth(nth, recorder) {
            return Err(IsrError::NoSuchMessage(nth));
        }
        self.reach(Branch::MessagesReordered);
        Ok(())
    }

    /// Cuts the link from `node` to `peer`; the other direction stays.
    pub fn cut_link(
        &mut self,
        node: NodeId,
        peer: NodeId,
        recorder: &mut impl Recorder,
    ) -> Result<()> {
        require_link(node, peer)?;
        self.network.cut(node, peer, recorder);
        self.reach(Branch::LinkCutOneWay);
        Ok(())
    }

    /// Heals the link from `node` to `peer`; the other direction stays as it is.
    pub fn heal_link(
        &mut self,
        node: NodeId,
        peer: NodeId,
        recorder: &mut impl Recorder,
    ) -> Result<()> {
        require_link(node, peer)?;
        self.network.mend(node, peer, recorder);
        Ok(())
    }
}

fn require_link(node: NodeId, peer: NodeId) -> Result<()> {
    if node == peer { Err(IsrError::NoLinkToItself(node)) } else { Ok(()) }
}
