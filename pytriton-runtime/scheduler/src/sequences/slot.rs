use std::collections::VecDeque;
use std::sync::Arc;

use pytriton_core::request::{Generation, SequenceId};
use tokio::time::Instant;

use crate::message::Waiting;

/// The capacity that an empty slot keeps.
pub(super) const KEPT: usize = 16;

/// A request as a table sees it.
pub(super) trait Queued {
    /// Identifies the request. Later ones have higher numbers.
    fn number(&self) -> u64;

    /// When it arrived.
    fn arrived(&self) -> Instant;

    /// Assigns it to a generation of its sequence.
    fn belong(&mut self, generation: &Arc<Generation>);

    /// Returns whether the two may be in one batch.
    fn can_batch_with(&self, other: &Self) -> bool;
}

impl Queued for Waiting {
    fn number(&self) -> u64 {
        self.ticket.number
    }

    fn arrived(&self) -> Instant {
        self.arrived
    }

    fn belong(&mut self, generation: &Arc<Generation>) {
        self.request.belong(generation);
    }

    fn can_batch_with(&self, other: &Self) -> bool {
        self.can_batch_with(other)
    }
}

/// A request of a sequence.
#[derive(Debug)]
pub(super) struct Entry<R> {
    pub(super) id: SequenceId,
    /// Whether it is the last one of its sequence.
    pub(super) ends: bool,
    /// Until when it may wait for a slot.
    pub(super) deadline: Option<Instant>,
    pub(super) request: R,
}

/// An item in the queue of a slot.
#[derive(Debug)]
pub(super) enum Item<R> {
    /// A request.
    Request(Entry<R>),
    /// No further requests of the sequence follow. The slot is released.
    Release,
}

impl<R> Item<R> {
    /// Returns until when the request may wait for a slot.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Request(entry) => entry.deadline,
            Self::Release => None,
        }
    }

    pub(super) fn request(&self) -> Option<&R> {
        match self {
            Self::Request(entry) => Some(&entry.request),
            Self::Release => None,
        }
    }
}

/// A slot of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SlotId {
    pub(super) slot: u32,
    pub(super) instance: u32,
}

/// A place for one sequence at a time on an instance.
#[derive(Debug)]
pub(super) struct Slot<R> {
    pub(super) queue: VecDeque<Item<R>>,
    /// With the oldest strategy: the request that may be executed, and its position among those.
    pub(super) issued: Option<(u64, Entry<R>)>,
    /// With the direct strategy: the position of its head among the executable ones.
    pub(super) turn: Option<u64>,
    /// Whether a request of the slot is being executed.
    pub(super) executing: bool,
}

impl<R> Slot<R> {
    /// Returns the next request of the queue, if it may be executed.
    pub(super) fn head(&self) -> Option<&Entry<R>> {
        match self.queue.front() {
            Some(Item::Request(entry)) if !self.executing => Some(entry),
            _ => None,
        }
    }

    /// Removes and returns that request.
    pub(super) fn pop(&mut self) -> Option<Entry<R>> {
        self.head()?;
        self.turn = None;
        let item = self.queue.pop_front()?;
        if self.queue.is_empty() {
            self.queue.shrink_to(KEPT);
        }
        match item {
            Item::Request(entry) => Some(entry),
            Item::Release => None,
        }
    }
}

impl<R> Default for Slot<R> {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            issued: None,
            turn: None,
            executing: false,
        }
    }
}

/// Removes a request and returns it with everything after it.
pub(super) fn cut<R: Queued>(
    queue: &mut VecDeque<Item<R>>,
    number: u64,
) -> Option<(Entry<R>, VecDeque<Item<R>>)> {
    let position = queue.partition_point(|item| match item {
        Item::Request(entry) => entry.request.number() < number,
        Item::Release => false,
    });
    let mut tail = queue.split_off(position);
    match tail.pop_front()? {
        Item::Request(entry) => Some((entry, tail)),
        Item::Release => None,
    }
}

/// Returns the requests among items.
pub(super) fn requests<R>(items: VecDeque<Item<R>>) -> impl Iterator<Item = R> {
    items.into_iter().filter_map(|item| match item {
        Item::Request(entry) => Some(entry.request),
        Item::Release => None,
    })
}
