use std::collections::VecDeque;

use tokio::time::Instant;

use crate::request::SequenceId;
use crate::scheduler::message::Waiting;

/// What a table knows of what waits in it.
pub(super) trait Queued {
    /// When it came.
    fn arrived(&self) -> Instant;

    /// Whether the two make one batch.
    fn goes_with(&self, other: &Self) -> bool;
}

impl Queued for Waiting {
    fn arrived(&self) -> Instant {
        self.arrived
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
    pub(super) request: R,
}

/// What waits in a slot, one behind the other.
#[derive(Debug)]
pub(super) enum Item<R> {
    /// A request.
    Request(Entry<R>),
    /// A request that its client has taken back: here the sequence ends.
    TakenBack(SequenceId),
    /// Nothing comes of a sequence that has been forgotten.
    Release,
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
        match self.queue.pop_front()? {
            Item::Request(entry) => Some(entry),
            Item::TakenBack(_) | Item::Release => None,
        }
    }
}

impl<R> Default for Slot<R> {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            issued: None,
            executing: false,
        }
    }
}

/// Takes a request out of the middle, and leaves the note that it was there.
pub(super) fn take_back<R>(queue: &mut VecDeque<Item<R>>, is_it: impl Fn(&R) -> bool) -> Option<R> {
    let item = queue.iter_mut().find(|item| match item {
        Item::Request(entry) => is_it(&entry.request),
        Item::TakenBack(_) | Item::Release => false,
    })?;
    let Item::Request(Entry { id, .. }) = item else {
        return None;
    };
    let note = Item::TakenBack(id.clone());
    match std::mem::replace(item, note) {
        Item::Request(entry) => Some(entry.request),
        Item::TakenBack(_) | Item::Release => None,
    }
}

/// The requests among items.
pub(super) fn requests<R>(items: VecDeque<Item<R>>) -> impl Iterator<Item = R> {
    items.into_iter().filter_map(|item| match item {
        Item::Request(entry) => Some(entry.request),
        Item::TakenBack(_) | Item::Release => None,
    })
}
