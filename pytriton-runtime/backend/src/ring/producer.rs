use crate::sync::AtomicBool;

use super::{Broken, Closed, Message, Ring, Sleep};

/// The position of the writer of a ring.
#[derive(Debug, Default)]
pub struct Producer {
    /// The number of messages written.
    written: u32,
    /// The number of messages published to the consumer.
    published: u32,
}

/// A message cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushError {
    /// No slot is free.
    Full,
    /// See [`Broken`].
    Broken,
}

impl Producer {
    /// Writes a message. The consumer sees it after it is published.
    ///
    /// # Errors
    ///
    /// Returns a [`PushError`].
    pub fn push<S: Sleep + Copy>(
        &mut self,
        ring: &Ring<'_, S>,
        message: &Message,
    ) -> Result<(), PushError> {
        let used = ring.between(ring.head(), self.written);
        if used.map_err(|Broken| PushError::Broken)? == ring.capacity() {
            return Err(PushError::Full);
        }
        ring.store(self.written, message);
        self.written = self.written.wrapping_add(1);
        Ok(())
    }

    /// Publishes all messages written, and wakes the consumer if it is asleep.
    pub fn publish<S: Sleep + Copy>(&mut self, ring: &Ring<'_, S>) {
        if self.published != self.written {
            ring.set_tail(self.written);
            self.published = self.written;
        }
    }

    /// Returns the number of messages ever written.
    pub fn written(&self) -> u32 {
        self.written
    }

    /// Returns the number of messages that the consumer has released.
    ///
    /// # Errors
    ///
    /// Returns [`Broken`] if the consumer's position is invalid.
    pub fn done<S: Sleep + Copy>(&self, ring: &Ring<'_, S>) -> Result<u32, Broken> {
        let head = ring.head();
        ring.between(head, self.written)?;
        Ok(head)
    }

    /// Returns the number of messages that the consumer has not released.
    ///
    /// # Errors
    ///
    /// Returns [`Broken`] if the consumer's position is invalid.
    pub fn in_flight<S: Sleep + Copy>(&self, ring: &Ring<'_, S>) -> Result<u32, Broken> {
        ring.between(ring.head(), self.written)
    }

    /// Returns whether a slot is free.
    ///
    /// # Errors
    ///
    /// Returns [`Broken`] if the consumer's position is invalid.
    pub fn has_space<S: Sleep + Copy>(&self, ring: &Ring<'_, S>) -> Result<bool, Broken> {
        Ok(self.in_flight(ring)? < ring.capacity())
    }

    /// Waits until the consumer has released more than `seen` messages.
    ///
    /// # Errors
    ///
    /// Returns [`Closed`] if the session has ended.
    pub fn wait<S: Sleep + Copy>(
        &self,
        ring: &Ring<'_, S>,
        seen: u32,
        closed: &AtomicBool,
    ) -> Result<(), Closed> {
        ring.sleep_for_slot(seen, closed)
    }
}
