//! Entry points for the fuzz targets in `fuzz/`. Not public API.

use std::time::Duration;

use crate::sync::{AtomicBool, AtomicU32};

use super::{Indices, Ring, Sleep, Slot};

/// A ring without sleepers, as seen by its two sides and a hostile peer.
#[derive(Debug, Default)]
pub struct Shared {
    indices: Indices,
    slots: [Slot; 4],
    closed: AtomicBool,
}

/// Never waits: the targets have one thread.
#[derive(Debug, Clone, Copy)]
pub struct Awake;

impl Sleep for Awake {
    fn sleep(&self, _: &AtomicU32, _: u32, _: Option<Duration>) {}

    fn wake(&self, _: &AtomicU32) {}
}

impl Shared {
    /// Returns the ring.
    pub fn ring(&self) -> Ring<'_, Awake> {
        Ring::new(&self.indices, &self.slots, Awake)
    }

    /// Returns the flag for the end of the session, which is never set.
    pub fn closed(&self) -> &AtomicBool {
        &self.closed
    }

    /// Writes a position of the producer, as a hostile process can.
    pub fn set_tail(&self, tail: u32) {
        self.ring().set_tail(tail);
    }

    /// Writes a position of the consumer, as a hostile process can.
    pub fn set_head(&self, head: u32) {
        self.ring().set_head(head);
    }
}
