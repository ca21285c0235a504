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

/// The leader's log when the last write was submitted. Empty between operations.
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
            Event::WriteAppended { .. } => {
                ghost.0 = None;
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
