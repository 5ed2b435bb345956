//! Early ends of sequences: expiry, cancellation and shutdown.

use std::collections::VecDeque;
use std::mem;

use tokio::time::Instant;

use super::active_sequences::Place;
use super::backlog::Waiting;
use super::slot::{Entry, Item, Queued, SlotId, cut, requests};
use super::table::{DropReason, Table};

impl<R: Queued> Table<R> {
    /// Ends sequences that have been idle for too long or have waited in the backlog for too long.
    pub(super) fn expire(&mut self, now: Instant) {
        while let Some(slot_id) = self.active.expire(now) {
            self.instance(slot_id)
                .slot(slot_id.slot)
                .queue
                .push_back(Item::Release);
            self.settle(slot_id, now);
        }
        while let Some((number, waiting)) = self.backlog.expire(now) {
            self.forget(number, &waiting);
            self.lose(waiting.queue, DropReason::TimedOut);
        }
    }

    /// Removes a cancelled request. Its sequence ends before it.
    pub(super) fn remove_cancelled(&mut self, number: u64, now: Instant) -> Option<R> {
        let place = self.places.remove(&number)?;
        let (entry, behind) = match place {
            Place::Slot(slot_id) => self.cut(slot_id, number)?,
            Place::Backlog(position) => self.backlog.cut(position, number)?,
        };
        // A sequence whose END has arrived is no longer known, and its successor may use the slot.
        if !entry.ends {
            self.active.end_at(&entry.id, place);
        }
        self.lose(behind, DropReason::EarlierCancelled);
        if let Place::Slot(slot_id) = place {
            self.settle(slot_id, now);
        }
        Some(entry.request)
    }

    /// Removes a request from a slot, with those after it. The slot is released after the earlier
    /// ones.
    fn cut(&mut self, slot_id: SlotId, number: u64) -> Option<(Entry<R>, VecDeque<Item<R>>)> {
        let instance = self.instance(slot_id);
        let slot = instance.slot(slot_id.slot);
        let is_it = |(_, entry): &mut (u64, Entry<R>)| entry.request.number() == number;
        let Some((order, entry)) = slot.issued.take_if(is_it) else {
            let cut = cut(&mut slot.queue, number)?;
            slot.queue.push_back(Item::Release);
            return Some(cut);
        };
        // After the last request of a sequence, the queue belongs to the next sequence.
        let behind = match entry.ends {
            true => VecDeque::new(),
            false => mem::replace(&mut slot.queue, [Item::Release].into()),
        };
        instance.issued.remove(&order);
        Some((entry, behind))
    }

    /// Returns when [`expire`](Self::expire) must run next.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        let deadlines = [self.active.next_deadline(), self.backlog.next_deadline()];
        deadlines.into_iter().flatten().min()
    }

    /// Ends all sequences after their waiting requests.
    pub(super) fn end_all(&mut self, now: Instant) {
        let mut slot_ids = Vec::new();
        for place in self.active.end_all() {
            match place {
                Place::Slot(slot_id) => slot_ids.push(slot_id),
                Place::Backlog(number) => {
                    self.backlog.push(number, Item::Release);
                    self.backlog.close(number);
                }
            }
        }
        // Released slots go to sequences in the backlog, which are all marked by now.
        for slot_id in slot_ids {
            let queue = &mut self.instance(slot_id).slot(slot_id.slot).queue;
            queue.push_back(Item::Release);
            self.settle(slot_id, now);
        }
    }

    /// Ends all sequences and returns the waiting requests.
    pub(super) fn clear(&mut self, now: Instant) -> Vec<R> {
        let mut queues = Vec::new();
        while let Some(waiting) = self.backlog.pop() {
            queues.push(waiting.queue);
        }
        let mut slot_ids = Vec::new();
        for (&instance, slots) in &mut self.instances {
            slots.issued.clear();
            for (number, slot) in (0..).zip(&mut slots.slots) {
                let issued = slot.issued.take().map(|(_, entry)| Item::Request(entry));
                queues.push(issued.into_iter().collect());
                if !slot.queue.is_empty() {
                    queues.push(mem::replace(&mut slot.queue, [Item::Release].into()));
                }
                let slot = number;
                slot_ids.push(SlotId { slot, instance });
            }
        }
        let cleared: Vec<R> = queues.into_iter().flat_map(requests).collect();
        self.places.clear();
        self.end_all(now);
        for slot_id in slot_ids {
            self.settle(slot_id, now);
        }
        cleared
    }

    /// Removes a sequence that was taken out of the backlog from the known ones.
    pub(super) fn forget(&mut self, number: u64, waiting: &Waiting<R>) {
        let id = waiting.queue.front().and_then(|item| match item {
            Item::Request(entry) => Some(&entry.id),
            Item::Release => None,
        });
        if let Some(id) = id {
            self.active.end_at(id, Place::Backlog(number));
        }
    }

    pub(super) fn lose(&mut self, queue: VecDeque<Item<R>>, why: DropReason) {
        for request in requests(queue) {
            self.places.remove(&request.number());
            self.lost.push((request, why));
        }
    }
}
