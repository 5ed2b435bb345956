//! Assignment of slots to sequences.

use std::collections::VecDeque;
use std::mem;

use tokio::time::Instant;

use super::active_sequences::Place;
use super::slot::{Entry, Item, Queued, SlotId};
use super::strategy::Strategy;
use super::table::{DropReason, Table};

impl<R: Queued> Table<R> {
    /// Adds the slots of an instance that becomes available.
    pub(super) fn enter(&mut self, instance: u32, now: Instant) {
        self.instances.entry(instance).or_default().present = true;
        for slot in 0..self.opened {
            let slot_id = SlotId { slot, instance };
            self.release(slot_id);
            self.settle(slot_id, now);
        }
        while !self.backlog.is_empty()
            && let Some(slot_id) = self.free_slot()
        {
            self.release(slot_id);
            self.settle(slot_id, now);
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
        self.free.retain(|slot_id| slot_id.instance != instance);
        self.active.end_of(instance);
        for queue in queues {
            self.lose(queue, DropReason::Instance);
        }
    }

    /// Returns the free slot with the lowest number, on any instance.
    pub(super) fn free_slot(&mut self) -> Option<SlotId> {
        if self.free.is_empty() {
            self.open();
        }
        self.free.pop_first()
    }

    /// Opens one more slot on each instance, if possible.
    fn open(&mut self) {
        let slot = self.opened;
        let present = self.instances.iter().filter(|(_, slots)| slots.present);
        let slot_ids = present.map(|(&instance, _)| SlotId { slot, instance });
        if slot < self.slots {
            self.free.extend(slot_ids);
            self.opened += u32::from(!self.free.is_empty());
        }
    }

    /// Processes the head of a slot until it is a request or the slot is empty.
    pub(super) fn settle(&mut self, slot_id: SlotId, now: Instant) {
        loop {
            let oldest = self.strategy == Strategy::Oldest;
            let order = self.next_issue;
            let instance = self.instance(slot_id);
            let running = instance.running > 0;
            let slot = instance.slot(slot_id.slot);
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
                    self.release(slot_id);
                    continue;
                }
            }
            self.ready.insert(slot_id.instance);
            if !oldest {
                let slot = self.instance(slot_id).slot(slot_id.slot);
                if slot.turn.is_none() {
                    slot.turn = Some(order);
                    self.next_issue += 1;
                }
                return;
            }
            let instance = self.instance(slot_id);
            let slot = instance.slot(slot_id.slot);
            let Some(entry) = slot.pop() else {
                return;
            };
            let ends = entry.ends;
            slot.issued = Some((order, entry));
            instance.issued.insert(order, (slot_id.slot, now));
            self.next_issue += 1;
            if ends {
                self.release(slot_id);
            }
            return;
        }
    }

    /// Assigns a released slot to the sequence that has waited longest, or marks it as free.
    pub(super) fn release(&mut self, slot_id: SlotId) {
        if !self.instance(slot_id).present {
            return;
        }
        let Some(waiting) = self.backlog.pop() else {
            self.free.insert(slot_id);
            return;
        };
        if waiting.open
            && let Some(Item::Request(Entry { id, .. })) = waiting.queue.back()
        {
            self.active.assign(id, slot_id);
        }
        for request in waiting.queue.iter().filter_map(Item::request) {
            self.places.insert(request.number(), Place::Slot(slot_id));
        }
        self.instance(slot_id).slot(slot_id.slot).queue = waiting.queue;
    }
}
