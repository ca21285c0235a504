//! `committed-prefix-agreement`: nobody disagrees about what is committed.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{
    Entry, Event, Evidence, Fact, NodeId, NodeSet, Offset, View, entry_at, first_difference,
};

/// Any two live ISR members hold the same entry at every offset up to the high watermark that both
/// have; any two live replicas agree on what both have applied; the live leader's log contains the
/// committed history, nothing missing, nothing replaced.
///
/// A live, isolated, deposed leader rightly keeps an uncommitted suffix below the group's high
/// watermark; therefore replicas outside the ISR are held only to what they have applied.
#[derive(Debug)]
pub struct CommittedPrefixAgreement;

impl Invariant for CommittedPrefixAgreement {
    type Ghost = ();
    const NAME: &'static str = "committed-prefix-agreement";
    const STATEMENT: &'static str = "live ISR members hold the same entry at every offset <= HW that both have; live replicas agree on what both have applied; the live leader's log contains the committed history, nothing missing, nothing replaced";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        if !event.is_state_check() {
            return Ok(());
        }
        if !ledger.history().is_empty()
            && let Some(leader) = view.live_leader()
        {
            *tested += 1;
            if !ledger.is_history_in(view.log(leader)) {
                return Err(leader_lacks_history(ledger, view.log(leader), leader).into());
            }
        }
        let high_watermark = view.high_watermark();
        check_pairs(view, view.live_isr(), tested, |_, _| high_watermark, isr_members_disagree)?;
        check_pairs(
            view,
            view.alive(),
            tested,
            |a, b| view.applied_high_watermark(a).min(view.applied_high_watermark(b)),
            replicas_disagree,
        )
    }
}

/// Holds every two of `nodes` to agreement up to `limit(a, b)`.
#[inline]
fn check_pairs<V: View>(
    view: &V,
    nodes: NodeSet,
    tested: &mut u64,
    limit: impl Fn(NodeId, NodeId) -> Offset,
    words: fn(Offset) -> Evidence,
) -> Result<(), Finding> {
    let mut rest = nodes;
    for a in nodes.iter() {
        rest.remove(a);
        for b in rest.iter() {
            let limit = limit(a, b).entries();
            let upto = |node| {
                let log = view.log(node);
                &log[..limit.min(log.len())]
            };
            let (log_a, log_b) = (upto(a), upto(b));
            if !log_a.is_empty() && !log_b.is_empty() {
                *tested += 1;
            }
            if let Some(offset) = first_difference(log_a, log_b) {
                let at = |log: &[Entry]| Fact::Entry(entry_at(log, offset));
                return Err(words(view.high_watermark())
                    .with("a", Fact::Node(a))
                    .with("b", Fact::Node(b))
                    .with("offset", Fact::Offset(offset))
                    .with("entry_a", at(log_a))
                    .with("entry_b", at(log_b))
                    .into());
            }
        }
    }
    Ok(())
}

#[cold]
fn isr_members_disagree(high_watermark: Offset) -> Evidence {
    Evidence::new(
        "isr-members-disagree",
        "{a} and {b} are both in the ISR and HW is {hw}, but at offset {offset} {a} has {entry_a} and {b} has {entry_b}",
    )
    .with("hw", Fact::Offset(high_watermark))
}

#[cold]
fn replicas_disagree(high_watermark: Offset) -> Evidence {
    Evidence::new(
        "applied-prefixes-disagree",
        "{a} and {b} have both applied offset {offset} as committed (HW is {hw}), but {a} has {entry_a} there and {b} has {entry_b}",
    )
    .with("hw", Fact::Offset(high_watermark))
}

#[cold]
fn leader_lacks_history(ledger: &Ledger, log: &[Entry], leader: NodeId) -> Evidence {
    let history = ledger.history();
    let offset = first_difference(history, log).unwrap_or(Offset(log.len() as u32 + 1));
    let entry = |log: &[Entry]| Fact::Entry(entry_at(log, offset));
    let (kind, sentence) = if offset.entries() > log.len() {
        (
            "leader-lacks-committed-entry",
            "{committed} was committed at offset {offset}, but the log of the live leader {leader} ends at {end}",
        )
    } else {
        (
            "leader-replaced-committed-entry",
            "{committed} was committed at offset {offset}, but the live leader {leader} has {found} there",
        )
    };
    Evidence::new(kind, sentence)
        .with("leader", Fact::Node(leader))
        .with("offset", Fact::Offset(offset))
        .with("committed", entry(history))
        .with("found", entry(log))
        .with("end", Fact::Offset(Offset(log.len() as u32)))
}
