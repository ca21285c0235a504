//! A queue of events, ordered by when they are due and then by when they were scheduled.

use crate::sim::Tick;
use highwater_invariants::clone_in_place;
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
#[derive(Debug)]
pub struct Scheduler<E> {
    /// Sorted by (due, order). What lies before `head` has been taken.
    queue: SmallVec<[Due<E>; 16]>,
    head: usize,
    scheduled: u64,
}

clone_in_place!(Scheduler<E: Copy>: copied { queue } cloned { head, scheduled });

impl<E> Default for Scheduler<E> {
    fn default() -> Self {
        Self { queue: SmallVec::new(), head: 0, scheduled: 0 }
    }
}

impl<E: Copy> Scheduler<E> {
    /// Schedules `event` for `due`, behind all that are due no later. Its place in the order of
    /// insertion, from 0.
    #[inline]
    pub fn schedule(&mut self, due: Tick, event: E) -> u64 {
        let order = self.scheduled;
        self.scheduled += 1;
        self.make_room();
        let behind = self.waiting().iter().rposition(|other| other.due <= due);
        let place = self.head + behind.map_or(0, |index| index + 1);
        self.queue.insert(place, Due { due, order, event });
        order
    }

    /// Takes the next event that is due at `now` or before. An event that is scheduled while others
    /// run, and is due at once, is taken in the same tick.
    #[inline]
    pub fn take_due(&mut self, now: Tick) -> Option<Due<E>> {
        let next = *self.waiting().first()?;
        if next.due > now {
            return None;
        }
        self.head += 1;
        if self.head == self.queue.len() {
            self.queue.clear();
            self.head = 0;
        }
        Some(next)
    }

    /// Puts an event right behind the one that is `nth` from now, at the same `due`.
    pub(crate) fn insert_behind(&mut self, nth: usize, due: Tick, event: E) {
        let order = self.scheduled;
        self.scheduled += 1;
        self.queue.insert(self.head + nth + 1, Due { due, order, event });
    }

    /// Takes the event that is `nth` from now, the next one being 0, out of the queue.
    #[inline]
    pub fn remove(&mut self, nth: usize) -> Option<Due<E>> {
        if nth >= self.len() {
            return None;
        }
        Some(self.queue.remove(self.head + nth))
    }

    /// Whether nothing is scheduled.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// How many events are scheduled.
    #[inline]
    pub fn len(&self) -> usize {
        self.waiting().len()
    }

    /// What is scheduled, the next event first.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Due<E>> {
        self.waiting().iter()
    }

    #[inline]
    fn waiting(&self) -> &[Due<E>] {
        &self.queue[self.head..]
    }

    /// Before the queue would grow, what has been taken makes room: so taking an event moves nothing,
    /// and room that was there once is used again.
    fn make_room(&mut self) {
        if self.queue.len() == self.queue.capacity() && self.head > 0 {
            self.queue.drain(..self.head);
            self.head = 0;
        }
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
