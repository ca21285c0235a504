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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::LinearizableReadBelowHw;
    use crate::testing::{Partition, Run, entry, node, value};
    use crate::vocabulary::{KeyId, Offset, ValueId};

    fn read(level: ReadLevel, value: Option<ValueId>, offset: u32) -> Event {
        Event::ReadServed { level, node: node(0), key: KeyId(0), value, offset: Offset(offset) }
    }

    fn after(event: Event) -> Run {
        let log = [entry(1, 0, 0), entry(1, 0, 1), entry(1, 0, 2)];
        let mut run = Run::new(LinearizableReadBelowHw, Partition::with_log(&log, 0));
        run.commit(2);
        run.tell(event);
        run
    }

    #[test]
    fn a_read_must_return_the_last_committed_value() {
        for (wrong, words) in [
            (Some(value(0)), "v0"),
            (Some(value(2)), "v2"),
            (None, "nothing"),
        ] {
            let words = format!(
                "a linearizable read of k0 at node-1 returned {words}, but the last committed value is v1"
            );
            let run = after(read(ReadLevel::Linearizable, wrong, 2));
            run.assert_violated("read-not-last-committed", &words);
        }
    }

    #[test]
    fn a_read_must_not_claim_an_offset_above_hw() {
        after(read(ReadLevel::Linearizable, Some(value(1)), 3)).assert_violated(
            "read-above-hw",
            "a linearizable read of k0 at node-1 reported offset 3, above HW 2",
        );
    }

    #[test]
    fn the_last_committed_value_at_or_below_hw_is_right() {
        after(read(ReadLevel::Linearizable, Some(value(1)), 2)).assert_holds();
        after(read(ReadLevel::Linearizable, Some(value(1)), 1)).assert_holds();
    }

    #[test]
    fn what_was_committed_stays_the_right_answer_whatever_the_leader_has_now() {
        let mut run = after(Event::Ticked);
        run.partition.set_log(0, &[entry(2, 0, 7), entry(2, 0, 8)]);
        run.tell(read(ReadLevel::Linearizable, Some(value(8)), 2));
        run.assert_violated(
            "read-not-last-committed",
            "a linearizable read of k0 at node-1 returned v8, but the last committed value is v1",
        );
    }

    #[test]
    fn reads_of_other_levels_are_asked_nothing() {
        after(read(ReadLevel::Local, Some(value(2)), 3)).assert_untested();
        after(read(ReadLevel::Leader, Some(value(2)), 3)).assert_untested();
    }
}
