//! Assignment of slots to sequences.

use std::collections::VecDeque;
use std::mem;

use tokio::time::Instant;

use super::active_sequences::Place;
use super::slot::{Entry, Item, Queued, Seat};
use super::strategy::Strategy;
use super::table::{DropReason, Table};

impl<R: Queued> Table<R> {
    /// Adds the slots of an instance that becomes available.
    pub(super) fn enter(&mut self, instance: u32, now: Instant) {
        self.instances.entry(instance).or_default().present = true;
        for slot in 0..self.opened {
            let seat = Seat { slot, instance };
            self.release(seat);
            self.settle(seat, now);
        }
        while !self.backlog.is_empty()
            && let Some(seat) = self.free_seat()
        {
            self.release(seat);
            self.settle(seat, now);
        }
    }

    /// Removes the slots of an instance and their sequences. Running requests complete.
    pub(super) fn absent(&mut self, instance: u32) {
        let Some(slots) = self.instances.get_mut(&instance) else {
            return;
        };
        slots.present = false;
        slots.issued.clear();
        let mut queues = Vec::new();
        for slot in &mut slots.slots {
            let issued = slot.issued.take().map(|(_, entry)| Item::Request(entry));
            queues.extend(issued.map(|entry| VecDeque::from([entry])));
            queues.push(mem::take(&mut slot.queue));
            slot.turn = None;
        }
        self.free.retain(|seat| seat.instance != instance);
        self.active.end_of(instance);
        for queue in queues {
            self.lose(queue, DropReason::Instance);
        }
    }

    /// Returns the free slot with the lowest number, on any instance.
    pub(super) fn free_seat(&mut self) -> Option<Seat> {
        if self.free.is_empty() {
            self.open();
        }
        self.free.pop_first()
    }

    /// Opens one more slot on each instance, if possible.
    fn open(&mut self) {
        let slot = self.opened;
        let present = self.instances.iter().filter(|(_, slots)| slots.present);
        let seats = present.map(|(&instance, _)| Seat { slot, instance });
        if slot < self.slots {
            self.free.extend(seats);
            self.opened += u32::from(!self.free.is_empty());
        }
    }

    /// Processes the head of a slot until it is a request or the slot is empty.
    pub(super) fn settle(&mut self, seat: Seat, now: Instant) {
        loop {
            let oldest = self.strategy == Strategy::Oldest;
            let order = self.next_issue;
            let instance = self.instance(seat);
            let running = instance.running > 0;
            let slot = instance.slot(seat.slot);
            if slot.executing || slot.issued.is_some() {
                return;
            }
            match slot.queue.front() {
                None => return,
                Some(Item::Request(_)) => {}
                // As in Triton, a slot passes to the next sequence when the next batch is formed.
                Some(Item::Release) if running && !oldest => return,
                Some(Item::Release) => {
                    slot.queue = VecDeque::new();
                    slot.turn = None;
                    self.release(seat);
                    continue;
                }
            }
            self.ready.insert(seat.instance);
            if !oldest {
                let slot = self.instance(seat).slot(seat.slot);
                if slot.turn.is_none() {
                    slot.turn = Some(order);
                    self.next_issue += 1;
                }
                return;
            }
            let instance = self.instance(seat);
            let slot = instance.slot(seat.slot);
            let Some(entry) = slot.pop() else {
                return;
            };
            let ends = entry.ends;
            slot.issued = Some((order, entry));
            instance.issued.insert(order, (seat.slot, now));
            self.next_issue += 1;
            if ends {
                self.release(seat);
            }
            return;
        }
    }

    /// Assigns a released slot to the sequence that has waited longest, or marks it as free.
    pub(super) fn release(&mut self, seat: Seat) {
        if !self.instance(seat).present {
            return;
        }
        let Some(waiting) = self.backlog.pop() else {
            self.free.insert(seat);
            return;
        };
        if waiting.open
            && let Some(Item::Request(Entry { id, .. })) = waiting.queue.back()
        {
            self.active.seat(id, seat);
        }
        for request in waiting.queue.iter().filter_map(Item::request) {
            self.places.insert(request.number(), Place::Slot(seat));
        }
        self.instance(seat).slot(seat.slot).queue = waiting.queue;
    }
}
