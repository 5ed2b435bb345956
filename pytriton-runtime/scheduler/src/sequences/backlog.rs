use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::time::Instant;

use super::slot::{Entry, Item, Queued, cut};

/// The sequences that wait for a slot, in the order in which they started.
#[derive(Debug)]
pub(super) struct Backlog<R> {
    next: u64,
    pub(super) sequences: BTreeMap<u64, Waiting<R>>,
    pub(super) deadlines: BTreeSet<(Instant, u64)>,
}

/// A sequence that waits for a slot.
#[derive(Debug)]
pub(super) struct Waiting<R> {
    pub(super) queue: VecDeque<Item<R>>,
    /// Whether more requests may follow.
    pub(super) open: bool,
    /// When the wait times out.
    deadline: Option<Instant>,
}

impl<R> Backlog<R> {
    pub(super) fn new() -> Self {
        Self {
            next: 0,
            sequences: BTreeMap::new(),
            deadlines: BTreeSet::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Adds a sequence, whose first request follows. Returns its number.
    pub(super) fn open(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        let waiting = Waiting {
            queue: VecDeque::new(),
            open: true,
            deadline: None,
        };
        self.sequences.insert(number, waiting);
        number
    }

    /// Adds a request to its sequence. The sequence has the earliest deadline of its requests.
    pub(super) fn push(&mut self, number: u64, item: Item<R>) {
        let Some(waiting) = self.sequences.get_mut(&number) else {
            return;
        };
        let deadline = item.deadline();
        waiting.queue.push_back(item);
        if let Some(deadline) = deadline
            && waiting
                .deadline
                .is_none_or(|earlier_deadline| deadline < earlier_deadline)
        {
            let before = waiting.deadline.replace(deadline);
            if let Some(before) = before {
                self.deadlines.remove(&(before, number));
            }
            self.deadlines.insert((deadline, number));
        }
    }

    /// Records that a sequence is complete.
    pub(super) fn close(&mut self, number: u64) {
        if let Some(waiting) = self.sequences.get_mut(&number) {
            waiting.open = false;
        }
    }

    /// Removes a request and those after it. The earlier ones keep waiting, and the sequence ends
    /// after them.
    pub(super) fn cut(&mut self, number: u64, request: u64) -> Option<(Entry<R>, VecDeque<Item<R>>)>
    where
        R: Queued,
    {
        let mut waiting = self.remove(number)?;
        let cut = cut(&mut waiting.queue, request);
        if !waiting.queue.is_empty() {
            waiting.deadline = waiting.queue.iter().filter_map(Item::deadline).min();
            if let Some(deadline) = waiting.deadline {
                self.deadlines.insert((deadline, number));
            }
            if cut.is_some() {
                waiting.queue.push_back(Item::Release);
                waiting.open = false;
            }
            self.sequences.insert(number, waiting);
        }
        cut
    }

    /// Removes the sequence that has waited longest.
    pub(super) fn pop(&mut self) -> Option<Waiting<R>> {
        let number = *self.sequences.first_key_value()?.0;
        self.remove(number)
    }

    /// Removes a sequence whose wait has timed out.
    pub(super) fn expire(&mut self, now: Instant) -> Option<(u64, Waiting<R>)> {
        let &(deadline, number) = self.deadlines.first()?;
        if deadline > now {
            return None;
        }
        let waiting = self.remove(number)?;
        Some((number, waiting))
    }

    /// Returns the earliest deadline.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Removes a sequence.
    pub(super) fn remove(&mut self, number: u64) -> Option<Waiting<R>> {
        let waiting = self.sequences.remove(&number)?;
        if let Some(deadline) = waiting.deadline {
            self.deadlines.remove(&(deadline, number));
        }
        Some(waiting)
    }
}
