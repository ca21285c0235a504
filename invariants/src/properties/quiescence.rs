//! `quiescence`: a partition that is left alone comes to rest.

use super::Invariant;
use crate::checker::Finding;
use crate::ledger::Ledger;
use crate::vocabulary::{Event, Evidence, Fact, Settled, View};

/// With no new operations the partition becomes idle within a bound; messages in flight stay within
/// a budget at all times (no resend storm).
#[derive(Debug)]
pub struct Quiescence;

impl Invariant for Quiescence {
    type Ghost = ();
    const NAME: &'static str = "quiescence";
    const STATEMENT: &'static str = "with no new operations the partition becomes idle within a bound; messages in flight stay within a budget (no resend storm)";

    #[inline]
    fn check<V: View>(
        (): &mut (),
        _ledger: &Ledger,
        event: Event,
        _view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        let Event::Settled(settled) = event else { return Ok(()) };
        *tested += 1;
        match settled {
            Settled::Idle { .. } => Ok(()),
            Settled::StillBusy { ticks, in_flight } => Err(Evidence::new(
                "never-idle",
                "{in_flight} messages are still in flight after {ticks} ticks without any new operation",
            )
            .with("ticks", Fact::Count(ticks))
            .with("in_flight", Fact::Count(in_flight as u64))
            .into()),
            Settled::OverBudget { in_flight, budget } => Err(Evidence::new(
                "message-storm",
                "{in_flight} messages are in flight at once, more than the budget of {budget}",
            )
            .with("in_flight", Fact::Count(in_flight as u64))
            .with("budget", Fact::Count(budget as u64))
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::Quiescence;
    use crate::testing::{Partition, Run};

    fn after(settled: Settled) -> Run {
        let mut run = Run::new(Quiescence, Partition::of(2));
        run.tell(Event::Settled(settled));
        run
    }

    #[test]
    fn a_partition_that_is_left_alone_must_come_to_rest() {
        after(Settled::StillBusy { ticks: 90, in_flight: 3 }).assert_violated(
            "never-idle",
            "3 messages are still in flight after 90 ticks without any new operation",
        );
    }

    #[test]
    fn messages_in_flight_must_stay_within_the_budget() {
        after(Settled::OverBudget { in_flight: 70, budget: 64 }).assert_violated(
            "message-storm",
            "70 messages are in flight at once, more than the budget of 64",
        );
    }

    #[test]
    fn a_partition_that_comes_to_rest_holds() {
        after(Settled::Idle { ticks: 5 }).assert_holds();
    }

    #[test]
    fn a_run_that_is_never_left_alone_tests_nothing() {
        let mut run = Run::new(Quiescence, Partition::of(2));
        run.check();
        run.assert_untested();
    }
}
