//! A network with a clock: numbered messages, a fixed delay, links that can be cut.

use crate::sim::trace::{DropReason, KernelEvent, KernelTrace};
use crate::sim::{Scheduler, Tick};
use highwater_invariants::clone_in_place;
use highwater_invariants::{MAX_NODES, NodeId, NodeSet};

/// The number of a message, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct MessageId(pub u64);

/// A message in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message<P> {
    /// Its number.
    pub id: MessageId,
    /// Sender.
    pub source: NodeId,
    /// Receiver.
    pub destination: NodeId,
    /// Content.
    pub payload: P,
}

/// What became of a message that was due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival<P> {
    /// It is there; the receiver handles it now.
    Delivered(Message<P>),
    /// The link was cut meanwhile.
    Dropped(Message<P>),
}

/// Clock, scheduler and links of one simulated group of nodes.
#[derive(Debug)]
pub struct Network<P> {
    pub(super) now: Tick,
    pub(super) scheduler: Scheduler<Message<P>>,
    /// By source: destinations that its messages do not reach.
    pub(super) cut: [NodeSet; MAX_NODES],
    delay_ticks: u64,
    sent: u64,
}

clone_in_place!(Network<P: Copy>: copied {} cloned { now, scheduler, cut, delay_ticks, sent });

impl<P: Copy> Network<P> {
    /// A network in which a message takes `delay_ticks`.
    #[inline]
    pub fn new(delay_ticks: u64) -> Self {
        Self {
            now: Tick(0),
            scheduler: Scheduler::default(),
            cut: [NodeSet::EMPTY; MAX_NODES],
            delay_ticks,
            sent: 0,
        }
    }

    /// The present moment.
    #[inline]
    pub fn now(&self) -> Tick {
        self.now
    }

    /// Moves the clock on by one tick. What is due then is taken with [`Network::arrive`].
    #[inline]
    pub fn advance_clock(&mut self) {
        self.now = self.now.after(1);
    }

    /// How many messages are in flight.
    #[inline]
    pub fn in_flight(&self) -> usize {
        self.scheduler.len()
    }

    /// The messages in flight, the next to arrive first, each with the tick at which it is due.
    #[inline]
    pub fn messages(&self) -> impl Iterator<Item = (Tick, &Message<P>)> {
        self.scheduler.iter().map(|due| (due.due, &due.event))
    }

    /// Whether messages from `source` do not reach `destination`.
    #[inline]
    pub fn is_cut(&self, source: NodeId, destination: NodeId) -> bool {
        self.cut[source.index()].contains(destination)
    }

    /// Destinations that messages from `source` do not reach.
    #[inline]
    pub fn cut_from(&self, source: NodeId) -> NodeSet {
        self.cut[source.index()]
    }

    /// Sends a message. False if the link is cut, so that it is lost at once.
    ///
    /// `payload` is how the network carries the content; `traced` shows it to whoever listens.
    #[inline]
    pub fn send<Shown, T: KernelTrace<Shown>>(
        &mut self,
        source: NodeId,
        destination: NodeId,
        payload: P,
        shown: impl FnOnce() -> Shown,
        trace: &mut T,
    ) -> bool {
        let id = MessageId(self.sent);
        self.sent += 1;
        if T::TRACING {
            let payload = shown();
            trace.kernel(self.now, KernelEvent::MessageSent { id, source, destination, payload });
        }
        if self.is_cut(source, destination) {
            if T::TRACING {
                let reason = DropReason::Partition;
                let event = KernelEvent::MessageDropped { id, source, destination, reason };
                trace.kernel(self.now, event);
            }
            return false;
        }
        let due = self.now.after(self.delay_ticks);
        let order = self.scheduler.schedule(due, Message { id, source, destination, payload });
        if T::TRACING {
            trace.kernel(self.now, KernelEvent::EventScheduled { id, due, order });
        }
        true
    }

    /// Takes the next message that is due now, if there is one.
    #[inline]
    pub fn arrive<Shown, T: KernelTrace<Shown>>(
        &mut self,
        shown: impl FnOnce(P) -> Shown,
        trace: &mut T,
    ) -> Option<Arrival<P>> {
        let due = self.scheduler.take_due(self.now)?;
        let message = due.event;
        let Message { id, source, destination, payload } = message;
        if T::TRACING {
            let event = KernelEvent::EventStarted { id, due: due.due, order: due.order };
            trace.kernel(self.now, event);
        }
        if self.is_cut(source, destination) {
            if T::TRACING {
                let reason = DropReason::PartitionAtDelivery;
                let event = KernelEvent::MessageDropped { id, source, destination, reason };
                trace.kernel(self.now, event);
            }
            return Some(Arrival::Dropped(message));
        }
        if T::TRACING {
            let payload = shown(payload);
            let event = KernelEvent::MessageDelivered { id, source, destination, payload };
            trace.kernel(self.now, event);
        }
        Some(Arrival::Delivered(message))
    }

    /// Cuts the link between `source` and `destination`, in both directions.
    #[inline]
    pub fn partition<S, T: KernelTrace<S>>(
        &mut self,
        source: NodeId,
        destination: NodeId,
        trace: &mut T,
    ) {
        self.cut[source.index()].insert(destination);
        self.cut[destination.index()].insert(source);
        if T::TRACING {
            trace.kernel(
                self.now,
                KernelEvent::PartitionAdded { source, destination, bidirectional: true },
            );
        }
    }

    /// Heals the link between `source` and `destination`, in both directions.
    #[inline]
    pub fn heal<S, T: KernelTrace<S>>(
        &mut self,
        source: NodeId,
        destination: NodeId,
        trace: &mut T,
    ) {
        self.cut[source.index()].remove(destination);
        self.cut[destination.index()].remove(source);
        if T::TRACING {
            trace.kernel(
                self.now,
                KernelEvent::PartitionHealed { source, destination, bidirectional: true },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl KernelTrace<char> for Seen {
        const TRACING: bool = true;
        fn kernel(&mut self, tick: Tick, event: KernelEvent<char>) {
            let words = match event {
                KernelEvent::MessageSent { id, payload, .. } => format!("sent {} {payload}", id.0),
                KernelEvent::MessageDropped { id, reason, .. } => {
                    format!("dropped {} {reason:?}", id.0)
                }
                KernelEvent::MessageDelivered { id, payload, .. } => {
                    format!("delivered {} {payload}", id.0)
                }
                KernelEvent::EventScheduled { id, due, order } => {
                    format!("scheduled {} {due} {order}", id.0)
                }
                KernelEvent::EventStarted { id, due, order } => {
                    format!("started {} {due} {order}", id.0)
                }
                KernelEvent::MessageDuplicated { id, .. } => format!("duplicated {}", id.0),
                KernelEvent::MessageMoved { id, due } => format!("moved {} {due}", id.0),
                KernelEvent::PartitionAdded { .. } => "cut".into(),
                KernelEvent::PartitionHealed { .. } => "healed".into(),
            };
            self.0.push(format!("{tick}: {words}"));
        }
    }

    #[test]
    fn a_message_is_lost_if_its_link_is_cut_when_sent_or_when_due_and_is_numbered_all_the_same() {
        let [a, b] = [NodeId::new(0), NodeId::new(1)];
        let (mut network, mut seen) = (Network::new(2), Seen::default());
        assert!(network.send(a, b, 'x', || 'x', &mut seen));
        network.partition(a, b, &mut seen);
        assert!(!network.send(b, a, 'y', || 'y', &mut seen));
        network.advance_clock();
        assert_eq!(network.arrive(|p| p, &mut seen), None);
        network.advance_clock();
        assert!(matches!(network.arrive(|p| p, &mut seen), Some(Arrival::Dropped(_))));
        network.heal(b, a, &mut seen);
        assert!(network.send(a, b, 'z', || 'z', &mut seen));
        network.advance_clock();
        network.advance_clock();
        assert!(matches!(network.arrive(|p| p, &mut seen), Some(Arrival::Delivered(_))));
        assert_eq!(
            seen.0,
            [
                "0: sent 0 x",
                "0: scheduled 0 2 0",
                "0: cut",
                "0: sent 1 y",
                "0: dropped 1 Partition",
                "2: started 0 2 0",
                "2: dropped 0 PartitionAtDelivery",
                "2: healed",
                "2: sent 2 z",
                "2: scheduled 2 4 1",
                "4: started 2 4 1",
                "4: delivered 2 z",
            ]
        );
    }
}
