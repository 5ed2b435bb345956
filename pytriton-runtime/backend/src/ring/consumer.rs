use std::time::Duration;

use crate::sync::AtomicBool;

use super::{Broken, Closed, Message, Ring, Sleep};

/// The position of the reader of a ring.
#[derive(Debug, Default)]
pub struct Consumer {
    /// The number of messages read.
    read: u32,
    /// The number of messages released to the producer.
    released: u32,
}

impl Consumer {
    /// Returns the next message, copied out of shared memory, or `None` if the ring is empty.
    ///
    /// # Errors
    ///
    /// Returns [`Broken`] if the producer's position is invalid.
    pub fn pop<S: Sleep + Copy>(&mut self, ring: &Ring<'_, S>) -> Result<Option<Message>, Broken> {
        if ring.between(self.read, ring.tail())? == 0 {
            return Ok(None);
        }
        let message = ring.load(self.read);
        self.read = self.read.wrapping_add(1);
        Ok(Some(message))
    }

    /// Releases the slots of all messages that were read, and all data that they refer to.
    pub fn release<S: Sleep + Copy>(&mut self, ring: &Ring<'_, S>) {
        if self.released != self.read {
            ring.set_head(self.read);
            self.released = self.read;
        }
    }

    /// Waits for a message, at most for a time.
    ///
    /// # Errors
    ///
    /// Returns [`Closed`] if the ring is empty and no message will follow.
    pub fn wait<S: Sleep + Copy>(
        &self,
        ring: &Ring<'_, S>,
        closed: &AtomicBool,
        at_most: Option<Duration>,
    ) -> Result<(), Closed> {
        self.wait_unless(ring, closed, at_most, || false)
    }

    /// Same as [`wait`](Self::wait), but returns immediately if `interrupted` is true. The closure
    /// is called after the wait is announced, so an [interrupt](Ring::interrupt) is not lost:
    /// either the closure sees the change, or the interrupt ends the wait.
    ///
    /// # Errors
    ///
    /// Returns [`Closed`] if the ring is empty and no message will follow.
    pub fn wait_unless<S: Sleep + Copy>(
        &self,
        ring: &Ring<'_, S>,
        closed: &AtomicBool,
        at_most: Option<Duration>,
        interrupted: impl FnOnce() -> bool,
    ) -> Result<(), Closed> {
        ring.sleep_for_message(self.read, closed, at_most, interrupted)
    }
}
