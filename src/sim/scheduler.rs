//! A queue of events, ordered by when they are due and then by when they were scheduled.

use crate::sim::Tick;
use smallvec::SmallVec;

/// An event with its due time and its place in the order of insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Due<E> {
    /// When it is due.
    pub due: Tick,
    /// How many events had been scheduled before it.
    pub order: u64,
    /// What is to happen.
    pub event: E,
}

/// Events that are yet to happen. Short queues live inline, long ones on the heap.
#[derive(Clone, Debug)]
pub struct Scheduler<E> {
    /// Sorted by (due, order), the next one first.
    queue: SmallVec<[Due<E>; 16]>,
    scheduled: u64,
}

impl<E> Default for Scheduler<E> {
    fn default() -> Self {
        Self { queue: SmallVec::new(), scheduled: 0 }
    }
}

impl<E> Scheduler<E> {
    /// Schedules `event` for `due`, behind all that are due no later. Its place in the order of
    /// insertion, from 0.
    pub fn schedule(&mut self, due: Tick, event: E) -> u64 {
        let order = self.scheduled;
        self.scheduled += 1;
        let behind = self.queue.iter().rposition(|other| other.due <= due);
        self.queue.insert(behind.map_or(0, |index| index + 1), Due { due, order, event });
        order
    }

    /// Takes the next event that is due at `now` or before. An event that is scheduled while others
    /// run, and is due at once, is taken in the same tick.
    #[inline]
    pub fn take_due(&mut self, now: Tick) -> Option<Due<E>> {
        if self.queue.first()?.due <= now { Some(self.queue.remove(0)) } else { None }
    }

    /// Whether nothing is scheduled.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How many events are scheduled.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// What is scheduled, the next event first.
    pub fn iter(&self) -> impl Iterator<Item = &Due<E>> {
        self.queue.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_out_by_due_tick_and_then_by_insertion() {
        let mut scheduler = Scheduler::default();
        for (due, event) in [(3, 'd'), (1, 'a'), (3, 'e'), (2, 'c'), (1, 'b')] {
            scheduler.schedule(Tick(due), event);
        }
        assert_eq!(scheduler.take_due(Tick(0)), None);
        let mut taken = String::new();
        while let Some(due) = scheduler.take_due(Tick(3)) {
            taken.push(due.event);
        }
        assert_eq!(taken, "abcde");
    }

    #[test]
    fn an_event_scheduled_for_now_while_others_run_is_run_in_the_same_tick() {
        let mut scheduler = Scheduler::default();
        scheduler.schedule(Tick(1), 'a');
        scheduler.schedule(Tick(1), 'b');
        assert_eq!(scheduler.take_due(Tick(1)).map(|due| due.event), Some('a'));
        assert_eq!(scheduler.schedule(Tick(1), 'c'), 2);
        assert_eq!(scheduler.take_due(Tick(1)).map(|due| due.event), Some('b'));
        assert_eq!(scheduler.take_due(Tick(1)).map(|due| due.event), Some('c'));
        assert!(scheduler.is_empty());
    }
}
