//! Faults of the network beyond partitions: they happen to messages in flight, and to one direction
//! of a link. Nothing here happens unless it is asked for.

use crate::sim::network::{Message, Network};
use crate::sim::scheduler::Due;
use crate::sim::trace::{DropReason, KernelEvent, KernelTrace};
use highwater_invariants::NodeId;

impl<P: Copy> Network<P> {
    /// Loses message number `nth` in the order of arrivals, the next one being 0. The message, if
    /// there is one.
    pub fn drop_nth<S, T: KernelTrace<S>>(
        &mut self,
        nth: usize,
        trace: &mut T,
    ) -> Option<Message<P>> {
        let message = self.scheduler.remove(nth)?.event;
        if T::TRACING {
            let Message { id, source, destination, .. } = message;
            let reason = DropReason::Fault;
            trace.kernel(self.now, KernelEvent::MessageDropped { id, source, destination, reason });
        }
        Some(message)
    }

    /// Copies message number `nth`; `copy` copies its payload. The copy is due with the original and
    /// arrives behind all that are due no later. False if there is no such message.
    pub fn duplicate_nth<S, T: KernelTrace<S>>(
        &mut self,
        nth: usize,
        copy: impl FnOnce(P) -> P,
        trace: &mut T,
    ) -> bool {
        let Some(&Due { due, event, .. }) = self.scheduler.iter().nth(nth) else { return false };
        self.scheduler.schedule(due, Message { payload: copy(event.payload), ..event });
        if T::TRACING {
            let Message { id, source, destination, .. } = event;
            trace.kernel(self.now, KernelEvent::MessageDuplicated { id, source, destination });
        }
        true
    }

    /// Makes message number `nth` due `ticks` later than it was, behind all that are due no later.
    /// False if there is no such message.
    pub fn delay_nth<S, T: KernelTrace<S>>(
        &mut self,
        nth: usize,
        ticks: u64,
        trace: &mut T,
    ) -> bool {
        let Some(Due { due, event, .. }) = self.scheduler.remove(nth) else { return false };
        let due = due.after(ticks);
        self.scheduler.schedule(due, event);
        if T::TRACING {
            trace.kernel(self.now, KernelEvent::MessageMoved { id: event.id, due });
        }
        true
    }

    /// Lets the message behind number `nth` overtake it. False if there are not both.
    pub fn reorder_nth<S, T: KernelTrace<S>>(&mut self, nth: usize, trace: &mut T) -> bool {
        let Some(behind) = self.scheduler.iter().nth(nth + 1).map(|behind| behind.due) else {
            return false;
        };
        let Some(Due { event, .. }) = self.scheduler.remove(nth) else { return false };
        self.scheduler.insert_behind(nth, behind, event);
        if T::TRACING {
            trace.kernel(self.now, KernelEvent::MessageMoved { id: event.id, due: behind });
        }
        true
    }

    /// Cuts the link from `source` to `destination`, in this direction only.
    pub fn cut<S, T: KernelTrace<S>>(
        &mut self,
        source: NodeId,
        destination: NodeId,
        trace: &mut T,
    ) {
        self.cut[source.index()].insert(destination);
        if T::TRACING {
            let event = KernelEvent::PartitionAdded { source, destination, bidirectional: false };
            trace.kernel(self.now, event);
        }
    }

    /// Heals the link from `source` to `destination`, in this direction only.
    pub fn mend<S, T: KernelTrace<S>>(
        &mut self,
        source: NodeId,
        destination: NodeId,
        trace: &mut T,
    ) {
        self.cut[source.index()].remove(destination);
        if T::TRACING {
            let event = KernelEvent::PartitionHealed { source, destination, bidirectional: false };
            trace.kernel(self.now, event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Arrival, Untraced};

    /// A network with the messages `a`, `b`, `c` sent at ticks 0, 0, 1, each taking 2 ticks.
    fn network() -> Network<char> {
        let mut network = Network::new(2);
        let [one, two] = [NodeId::new(0), NodeId::new(1)];
        for (message, ticks) in [('a', 0), ('b', 1), ('c', 0)] {
            network.send(one, two, message, || message, &mut Untraced);
            (0..ticks).for_each(|_| network.advance_clock());
        }
        network
    }

    /// What arrives, tick by tick from now on.
    fn arrivals(mut network: Network<char>) -> String {
        let mut arrivals = String::new();
        while network.in_flight() > 0 {
            network.advance_clock();
            while let Some(arrival) = network.arrive(|shown| shown, &mut Untraced) {
                match arrival {
                    Arrival::Delivered(message) => arrivals.push(message.payload),
                    Arrival::Dropped(_) => arrivals.push('x'),
                }
            }
            arrivals.push('|');
        }
        arrivals
    }

    fn after(fault: impl FnOnce(&mut Network<char>)) -> String {
        let mut network = network();
        fault(&mut network);
        arrivals(network)
    }

    #[test]
    fn without_faults_messages_arrive_as_they_were_sent() {
        assert_eq!(arrivals(network()), "ab|c|");
    }

    #[test]
    fn each_fault_does_what_it_says_and_nothing_to_a_message_that_is_not_there() {
        let untraced = &mut Untraced;
        assert_eq!(after(|net| assert!(net.drop_nth::<char, _>(1, untraced).is_some())), "a|c|");
        assert_eq!(after(|net| assert!(net.drop_nth::<char, _>(3, untraced).is_none())), "ab|c|");
        let copy = |payload: char| payload.to_ascii_uppercase();
        assert_eq!(after(|net| assert!(net.duplicate_nth::<char, _>(0, copy, untraced))), "abA|c|");
        assert_eq!(after(|net| assert!(!net.duplicate_nth::<char, _>(3, copy, untraced))), "ab|c|");
        assert_eq!(after(|net| assert!(net.delay_nth::<char, _>(0, 1, untraced))), "b|ca|");
        assert_eq!(after(|net| assert!(net.delay_nth::<char, _>(0, 3, untraced))), "b|c||a|");
        assert_eq!(after(|net| assert!(!net.delay_nth::<char, _>(3, 3, untraced))), "ab|c|");
        assert_eq!(after(|net| assert!(net.reorder_nth::<char, _>(0, untraced))), "ba|c|");
        assert_eq!(after(|net| assert!(net.reorder_nth::<char, _>(1, untraced))), "a|cb|");
        assert_eq!(after(|net| assert!(!net.reorder_nth::<char, _>(2, untraced))), "ab|c|");
    }

    #[test]
    fn one_direction_of_a_link_is_cut_and_the_other_is_not() {
        let [one, two] = [NodeId::new(0), NodeId::new(1)];
        let mut network = network();
        network.cut::<char, _>(one, two, &mut Untraced);
        assert!(network.is_cut(one, two) && !network.is_cut(two, one));
        assert_eq!(arrivals(network.clone()), "xx|x|");
        network.mend::<char, _>(one, two, &mut Untraced);
        assert_eq!(arrivals(network), "ab|c|");
    }
}
