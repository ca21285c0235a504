//! `recovery`: when faults stop, service comes back, unless what was promised is gone.

use super::Invariant;
use crate::canonical::{Canonical, Sink};
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, NodeSet, View};

/// After faults stop, every node is restarted and every link healed, an `ALL_ISR` write is accepted
/// within a bounded number of ticks and every replica is back in the ISR with the leader's log;
/// unless every copy of a committed entry was lost, in which case the partition must refuse instead.
#[derive(Debug)]
pub struct Recovery;

/// Whether a committed entry had no copy left when faults stopped.
#[derive(Clone, Debug, Default)]
pub struct LostEverywhere(bool);

impl Canonical for LostEverywhere {
    fn encode(&self, sink: &mut impl Sink) {
        sink.word(u64::from(self.0));
    }
}

impl Invariant for Recovery {
    type Ghost = LostEverywhere;
    const NAME: &'static str = "recovery";
    const STATEMENT: &'static str = "once faults stop, every node is restarted and every link healed, an ALL_ISR write is accepted within a bounded number of ticks and every replica is back in the ISR with the leader's log; if every copy of a committed entry was lost, the partition refuses instead";

    #[inline]
    fn check<V: View>(
        ghost: &mut LostEverywhere,
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        match event {
            Event::RecoveryStarted => {
                ghost.0 = ledger.has_lost_an_entry(view);
                Ok(())
            }
            Event::RecoveryEnded { write_accepted, ticks } => {
                *tested += 1;
                let refuses_rightly = ghost.0 && !write_accepted;
                if refuses_rightly {
                    return Ok(());
                }
                let is_lost = ghost.0 || ledger.has_lost_an_entry(view);
                if write_accepted && is_lost && !leader_has_history(ledger, view) {
                    return Err(serves_a_shorter_history().into());
                }
                recovered(write_accepted, ticks, view)
            }
            _ => Ok(()),
        }
    }
}

/// It may, although no replica had an entry of it when faults stopped: a copy was on its way.
fn leader_has_history<V: View>(ledger: &Ledger, view: &V) -> bool {
    view.live_leader().is_some_and(|leader| ledger.is_history_in(view.log(leader)))
}

#[cold]
fn serves_a_shorter_history() -> Evidence {
    Evidence::new(
        "serves-a-shorter-history",
        "every copy of a committed entry was lost, yet the partition accepted an ALL_ISR write instead of refusing",
    )
}

fn recovered<V: View>(write_accepted: bool, ticks: u64, view: &V) -> Result<(), Finding> {
    let Some(leader) = view.live_leader() else {
        return Err(Evidence::new("no-live-leader", "{ticks} ticks after faults stopped there is no live leader")
            .with("ticks", Fact::Count(ticks))
            .into());
    };
    if !write_accepted {
        return Err(Evidence::new(
            "no-write-accepted",
            "{ticks} ticks after faults stopped no ALL_ISR write has been accepted; the ISR is {isr}",
        )
        .with("ticks", Fact::Count(ticks))
        .with("isr", Fact::Nodes(view.isr()))
        .into());
    }
    let outside = view.nodes().without(view.isr());
    let differing: NodeSet =
        view.nodes().iter().filter(|&node| view.log(node) != view.log(leader)).collect();
    let (kind, sentence) = if !outside.is_empty() {
        (
            "replica-stays-out",
            "{ticks} ticks after faults stopped, {outside} is still outside the ISR",
        )
    } else if !differing.is_empty() {
        (
            "logs-stay-different",
            "{ticks} ticks after faults stopped, every replica is in the ISR, but {differing} has another log than the leader {leader}",
        )
    } else {
        return Ok(());
    };
    Err(Evidence::new(kind, sentence)
        .with("ticks", Fact::Count(ticks))
        .with("outside", Fact::Nodes(outside))
        .with("differing", Fact::Nodes(differing))
        .with("leader", Fact::Node(leader))
        .into())
}
