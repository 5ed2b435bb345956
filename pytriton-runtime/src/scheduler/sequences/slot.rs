use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::Instant;

use crate::request::{Generation, SequenceId};
use crate::scheduler::message::Waiting;

/// For how many requests a slot keeps room when it has none.
pub(super) const KEPT: usize = 16;

/// What a table knows of what waits in it.
pub(super) trait Queued {
    /// Which one it is: those that come later have higher numbers.
    fn number(&self) -> u64;

    /// When it came.
    fn arrived(&self) -> Instant;

    /// Puts it into a generation of its sequence's.
    fn belong(&mut self, generation: &Arc<Generation>);

    /// Whether the two make one batch.
    fn goes_with(&self, other: &Self) -> bool;
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

    fn goes_with(&self, other: &Self) -> bool {
        self.goes_with(other)
    }
}

/// A request of a sequence.
#[derive(Debug)]
pub(super) struct Entry<R> {
    pub(super) id: SequenceId,
    /// Whether the sequence has no other behind it.
    pub(super) ends: bool,
    /// Until when it may wait for a slot.
    pub(super) deadline: Option<Instant>,
    pub(super) request: R,
}

/// What waits in a slot, one behind the other.
#[derive(Debug)]
pub(super) enum Item<R> {
    /// A request.
    Request(Entry<R>),
    /// Nothing comes any longer of a sequence that has been forgotten.
    Release,
}

impl<R> Item<R> {
    /// Until when it may wait for a slot.
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

/// Which slot of which instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seat {
    pub(super) slot: u32,
    pub(super) instance: u32,
}

/// A place of an instance for one sequence at a time.
#[derive(Debug)]
pub(super) struct Slot<R> {
    pub(super) queue: VecDeque<Item<R>>,
    /// The request that may be executed, with the strategy of the oldest, and where it stands among those.
    pub(super) issued: Option<(u64, Entry<R>)>,
    /// Since when its head may be executed, with the direct strategy: its place among the heads.
    pub(super) turn: Option<u64>,
    /// Whether a request of it is being executed.
    pub(super) executing: bool,
}

impl<R> Slot<R> {
    /// The request that is next in its queue, if it may be executed.
    pub(super) fn head(&self) -> Option<&Entry<R>> {
        match self.queue.front() {
            Some(Item::Request(entry)) if !self.executing => Some(entry),
            _ => None,
        }
    }

    /// Takes that request.
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

/// Takes a request out, and returns it with all that is behind it.
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

/// The requests among items.
pub(super) fn requests<R>(items: VecDeque<Item<R>>) -> impl Iterator<Item = R> {
    items.into_iter().filter_map(|item| match item {
        Item::Request(entry) => Some(entry.request),
        Item::Release => None,
    })
}
