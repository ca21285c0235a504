//! `min-insync-admission`: an acknowledgement of all in-sync replicas means what it says.

use super::Invariant;
use crate::canonical::{Canonical, Sink};
use crate::checker::Finding;
use crate::digest::Digest;
use crate::ledger::Ledger;
use crate::vocabulary::{
    AckLevel, Entry, Event, Evidence, Fact, NodeId, Offset, View, WriteId, entry_at,
};

/// An `ALL_ISR` write is accepted only with at least `min.insync.replicas` ISR members at that
/// moment, every one of them alive and holding that same entry, and the high watermark at or past
/// it; a write refused at admission leaves the log as it was.
#[derive(Debug)]
pub struct MinInsyncAdmission;

/// The leader's log when the last write was submitted. Only a refusal asks for it, which comes
/// within the same operation.
#[derive(Clone, Debug, Default)]
pub struct LogAtSubmission(Option<(WriteId, NodeId, LogIdentity)>);

/// A log's length and the digest of its entries: as good as a copy, to tell whether it changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LogIdentity {
    entries: usize,
    digest: Digest,
}

impl LogIdentity {
    #[inline]
    fn of(log: &[Entry]) -> Self {
        let mut digest = Digest::EMPTY;
        log.encode(&mut digest);
        Self { entries: log.len(), digest }
    }
}

impl Canonical for LogAtSubmission {
    fn encode(&self, _sink: &mut impl Sink) {}
}

impl Invariant for MinInsyncAdmission {
    type Ghost = LogAtSubmission;
    const NAME: &'static str = "min-insync-admission";
    const STATEMENT: &'static str = "an ALL_ISR write is accepted only with |ISR| >= min.insync, every ISR member alive and holding that same entry, and HW at or past it; a write refused at admission leaves the log as it was";

    #[inline]
    fn check<V: View>(
        ghost: &mut LogAtSubmission,
        _ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        match event {
            Event::WriteSubmitted { write, .. } => {
                let log_of = |leader| LogIdentity::of(view.log(leader));
                ghost.0 = view.leader().map(|leader| (write, leader, log_of(leader)));
                Ok(())
            }
            Event::WriteRefused { write } => match ghost.0.take() {
                Some((submitted, leader, before)) if submitted == write => {
                    *tested += 1;
                    refused_without_trace(before, LogIdentity::of(view.log(leader)), leader)
                }
                _ => Ok(()),
            },
            Event::WriteAppended { write, .. } => {
                // The log rightly changes, unless it is for the write that is then refused.
                ghost.0.take_if(|(submitted, ..)| *submitted != write);
                Ok(())
            }
            Event::WriteAnswered { ack: AckLevel::AllIsr, accepted: true, offset, entry, .. } => {
                *tested += 1;
                accepted_rightly(offset, entry, view)
            }
            _ => Ok(()),
        }
    }
}

fn refused_without_trace(
    before: LogIdentity,
    after: LogIdentity,
    leader: NodeId,
) -> Result<(), Finding> {
    if before == after {
        return Ok(());
    }
    Err(Evidence::new(
        "refused-write-changed-log",
        "a write was refused at admission, yet the log of {leader}, of {before} entries, did not stay as it was, and has {after} now",
    )
    .with("leader", Fact::Node(leader))
    .with("before", Fact::Count(before.entries as u64))
    .with("after", Fact::Count(after.entries as u64))
    .into())
}

#[inline]
fn accepted_rightly<V: View>(offset: Offset, entry: Entry, view: &V) -> Result<(), Finding> {
    let isr = view.isr();
    if isr.len() < view.min_insync_replicas() {
        return Err(accepted(
            "accepted-below-min-insync",
            "the ALL_ISR write {entry} at offset {offset} was accepted with the ISR {isr}, fewer than min.insync.replicas = {min}",
            offset,
            entry,
            view,
        ));
    }
    if let Some(dead) = isr.without(view.alive()).iter().next() {
        return Err(on_member(
            "accepted-with-dead-isr-member",
            "the ALL_ISR write {entry} at offset {offset} was accepted while {member}, a member of the ISR {isr}, is down",
            offset,
            entry,
            view,
            dead,
        ));
    }
    for member in isr.iter() {
        if entry_at(view.log(member), offset) != Some(entry) {
            return Err(on_member(
                "accepted-without-isr-member",
                "the ALL_ISR write {entry} at offset {offset} was accepted, but {member}, a member of the ISR {isr}, has {found} there",
                offset,
                entry,
                view,
                member,
            ));
        }
    }
    if view.high_watermark() < offset {
        return Err(accepted(
            "accepted-above-hw",
            "the ALL_ISR write {entry} at offset {offset} was accepted, but HW is {hw}",
            offset,
            entry,
            view,
        ));
    }
    Ok(())
}

#[cold]
fn evidence<V: View>(
    kind: &'static str,
    sentence: &'static str,
    offset: Offset,
    entry: Entry,
    view: &V,
) -> Evidence {
    Evidence::new(kind, sentence)
        .with("entry", Fact::Entry(Some(entry)))
        .with("offset", Fact::Offset(offset))
        .with("isr", Fact::Nodes(view.isr()))
        .with("min", Fact::Count(view.min_insync_replicas() as u64))
        .with("hw", Fact::Offset(view.high_watermark()))
}

#[cold]
fn accepted<V: View>(
    kind: &'static str,
    sentence: &'static str,
    offset: Offset,
    entry: Entry,
    view: &V,
) -> Finding {
    evidence(kind, sentence, offset, entry, view).into()
}

#[cold]
fn on_member<V: View>(
    kind: &'static str,
    sentence: &'static str,
    offset: Offset,
    entry: Entry,
    view: &V,
    member: NodeId,
) -> Finding {
    let found = entry_at(view.log(member), offset);
    evidence(kind, sentence, offset, entry, view)
        .with("member", Fact::Node(member))
        .with("found", Fact::Entry(found))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::MinInsyncAdmission;
    use crate::testing::{Partition, Run, entry, nodes, value};
    use crate::vocabulary::KeyId;

    const LOG: [Entry; 2] = [entry(1, 0, 0), entry(1, 1, 1)];
    const ACCEPTED: Event = answered(true, AckLevel::AllIsr, 2);

    const fn answered(accepted: bool, ack: AckLevel, offset: u32) -> Event {
        Event::WriteAnswered {
            write: WriteId(0),
            ack,
            accepted,
            offset: Offset(offset),
            entry: LOG[1],
        }
    }

    fn after(event: Event, change: impl FnOnce(&mut Partition)) -> Run {
        let mut run = Run::new(MinInsyncAdmission, Partition::with_log(&LOG, 2));
        change(&mut run.partition);
        run.tell(event);
        run
    }

    #[test]
    fn an_acceptance_needs_min_insync_members() {
        after(ACCEPTED, |partition| partition.set_isr(nodes([0]))).assert_violated(
            "accepted-below-min-insync",
            "the ALL_ISR write k1=v1 of epoch 1 at offset 2 was accepted with the ISR {node-1}, fewer than min.insync.replicas = 2",
        );
    }

    #[test]
    fn an_acceptance_needs_every_member_alive() {
        let kill = |partition: &mut Partition| {
            partition.crash(2, false);
            partition.set_isr(nodes([0, 1, 2]));
        };
        after(ACCEPTED, kill).assert_violated(
            "accepted-with-dead-isr-member",
            "the ALL_ISR write k1=v1 of epoch 1 at offset 2 was accepted while node-3, a member of the ISR {node-1, node-2, node-3}, is down",
        );
    }

    #[test]
    fn an_acceptance_needs_that_same_entry_on_every_member() {
        after(ACCEPTED, |partition| partition.set_log(1, &LOG[..1])).assert_violated(
            "accepted-without-isr-member",
            "the ALL_ISR write k1=v1 of epoch 1 at offset 2 was accepted, but node-2, a member of the ISR {node-1, node-2, node-3}, has nothing there",
        );
        for other in [entry(2, 1, 1), entry(1, 0, 1), entry(1, 1, 0)] {
            let run = after(ACCEPTED, |partition| partition.set_log(1, &[LOG[0], other, LOG[0]]));
            assert_eq!(run.checker().violations()[0].evidence.kind(), "accepted-without-isr-member");
        }
    }

    #[test]
    fn an_acceptance_needs_hw_at_or_past_the_entry() {
        after(ACCEPTED, |partition| partition.set_high_watermark(1)).assert_violated(
            "accepted-above-hw",
            "the ALL_ISR write k1=v1 of epoch 1 at offset 2 was accepted, but HW is 1",
        );
    }

    #[test]
    fn an_acceptance_at_no_offset_is_wrong_and_no_panic() {
        after(answered(true, AckLevel::AllIsr, 0), |_| ()).assert_violated(
            "accepted-without-isr-member",
            "the ALL_ISR write k1=v1 of epoch 1 at offset 0 was accepted, but node-1, a member of the ISR {node-1, node-2, node-3}, has nothing there",
        );
    }

    #[test]
    fn a_rightful_acceptance_holds() {
        after(ACCEPTED, |_| ()).assert_holds();
        let shrink = |partition: &mut Partition| {
            partition.set_isr(nodes([0, 1]));
            partition.set_log(2, &[]);
            partition.append_everywhere(entry(1, 0, 3));
            partition.commit(3);
        };
        after(ACCEPTED, shrink).assert_holds();
    }

    #[test]
    fn other_answers_are_asked_nothing() {
        let shrink = |partition: &mut Partition| partition.set_isr(nodes([0]));
        after(answered(false, AckLevel::AllIsr, 2), shrink).assert_untested();
        after(answered(true, AckLevel::Leader, 2), shrink).assert_untested();
    }

    fn submitted(ack: AckLevel) -> Run {
        let mut run = Run::new(MinInsyncAdmission, Partition::with_log(&LOG, 2));
        run.tell(Event::WriteSubmitted { write: WriteId(3), key: KeyId(0), value: value(2), ack });
        run
    }

    #[test]
    fn a_refused_write_must_leave_the_log_as_it_was() {
        let refused = Event::WriteRefused { write: WriteId(3) };
        for ack in [AckLevel::AllIsr, AckLevel::Leader] {
            let mut run = submitted(ack);
            run.partition.append(0, entry(1, 0, 2));
            run.tell(refused);
            run.assert_violated(
                "refused-write-changed-log",
                "a write was refused at admission, yet the log of node-1, of 2 entries, did not stay as it was, and has 3 now",
            );
            let mut run = submitted(ack);
            run.partition.set_log(0, &[LOG[1], LOG[0]]);
            run.tell(refused);
            run.assert_violated(
                "refused-write-changed-log",
                "a write was refused at admission, yet the log of node-1, of 2 entries, did not stay as it was, and has 2 now",
            );
            let mut run = submitted(ack);
            run.tell(refused);
            run.assert_holds();
        }
    }

    #[test]
    fn only_the_refused_write_is_asked_about_its_refusal() {
        let mut run = submitted(AckLevel::AllIsr);
        run.partition.append(0, entry(1, 0, 2));
        run.tell(Event::WriteRefused { write: WriteId(4) });
        run.assert_untested();
    }

    #[test]
    fn a_write_that_was_appended_cannot_be_refused_any_more() {
        let (offset, entry) = (Offset(3), entry(1, 0, 2));
        let refused_after_append_of = |write| {
            let mut run = submitted(AckLevel::AllIsr);
            run.partition.append(0, entry);
            run.tell(Event::WriteAppended { write, offset, entry });
            run.tell(Event::WriteRefused { write: WriteId(3) });
            run
        };
        refused_after_append_of(WriteId(3)).assert_violated(
            "refused-write-changed-log",
            "a write was refused at admission, yet the log of node-1, of 2 entries, did not stay as it was, and has 3 now",
        );
        refused_after_append_of(WriteId(2)).assert_untested();
    }
}
