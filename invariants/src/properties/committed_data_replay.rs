//! `committed-data-replay`: what is served is what the log says.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, KeyId, NodeId, Table, View};

/// Committed data equals the replay of the log through the applied high watermark; data equals the
/// replay of the whole log. (So the applied high watermark is within the log.)
#[derive(Debug)]
pub struct CommittedDataReplay;

impl Invariant for CommittedDataReplay {
    type Ghost = ();
    const NAME: &'static str = "committed-data-replay";
    const STATEMENT: &'static str = "committed data equals the replay of the log through applied HW; data equals the replay of the whole log";

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
        for node in view.nodes().iter() {
            let replica = ledger.replica(node);
            if !replica.changed() {
                continue;
            }
            if let Some(data) = view.data(node) {
                *tested += u64::from(!view.log(node).is_empty());
                if data != replica.expected_data() {
                    return Err(differs("data-is-not-the-log", node, data, replica.expected_data()));
                }
            }
            if let Some(data) = view.committed_data(node) {
                let expected = replica.expected_committed_data();
                *tested += u64::from(view.applied_high_watermark(node).entries() > 0);
                if data != expected {
                    return Err(differs("committed-data-is-not-the-log", node, data, expected));
                }
                if view.applied_high_watermark(node) > view.log_end_offset(node) {
                    return Err(beyond_its_log(node, view));
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn differs(kind: &'static str, node: NodeId, found: &Table, expected: &Table) -> Finding {
    let keys = found.iter().chain(expected.iter()).map(|(key, _)| key);
    let key = keys.into_iter().find(|&key| found.get(key) != expected.get(key));
    let key = key.unwrap_or(KeyId(0));
    let sentence = if kind == "data-is-not-the-log" {
        "{node} holds {found} for {key}, but the replay of its log gives {expected}"
    } else {
        "{node} holds {found} for {key} as committed, but the replay of its log through its applied HW gives {expected}"
    };
    Evidence::new(kind, sentence)
        .with("node", Fact::Node(node))
        .with("key", Fact::Key(key))
        .with("found", Fact::Value(found.get(key)))
        .with("expected", Fact::Value(expected.get(key)))
        .into()
}

#[cold]
fn beyond_its_log<V: View>(node: NodeId, view: &V) -> Finding {
    Evidence::new(
        "applied-beyond-log",
        "{node} has applied through offset {applied}, but its log ends at {end}",
    )
    .with("node", Fact::Node(node))
    .with("applied", Fact::Offset(view.applied_high_watermark(node)))
    .with("end", Fact::Offset(view.log_end_offset(node)))
    .into()
}
