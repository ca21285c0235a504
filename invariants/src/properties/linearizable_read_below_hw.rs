//! `linearizable-read-below-hw`: an authoritative read returns committed data and nothing else.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, ReadLevel, View};

/// A linearizable or lease read returns exactly the last committed value of the key, and an offset
/// at or below the high watermark.
#[derive(Debug)]
pub struct LinearizableReadBelowHw;

impl Invariant for LinearizableReadBelowHw {
    type Ghost = ();
    const NAME: &'static str = "linearizable-read-below-hw";
    const STATEMENT: &'static str = "a LINEARIZABLE or lease read returns exactly the last committed value of the key, and an offset <= HW";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        let Event::ReadServed { level: ReadLevel::Linearizable, node, key, value, offset } = event
        else {
            return Ok(());
        };
        *tested += 1;
        let committed = ledger.committed().get(key);
        let evidence = if value != committed {
            Evidence::new(
                "read-not-last-committed",
                "a linearizable read of {key} at {node} returned {value}, but the last committed value is {committed}",
            )
        } else if offset > view.high_watermark() {
            Evidence::new(
                "read-above-hw",
                "a linearizable read of {key} at {node} reported offset {offset}, above HW {hw}",
            )
        } else {
            return Ok(());
        };
        Err(evidence
            .with("node", Fact::Node(node))
            .with("key", Fact::Key(key))
            .with("value", Fact::Value(value))
            .with("committed", Fact::Value(committed))
            .with("offset", Fact::Offset(offset))
            .with("hw", Fact::Offset(view.high_watermark()))
            .into())
    }
}
