use crate::sync::AtomicBool;

use super::{Broken, Closed, Message, Ring, Sleep};

/// The position of the side that writes messages.
#[derive(Debug, Default)]
pub struct Producer {
    /// How many messages have been written.
    written: u32,
    /// How many of them the consumer has been told of.
    published: u32,
}

/// Why a message is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushError {
    /// There is no free slot.
    Full,
    /// As [`Broken`] says.
    Broken,
}

impl Producer {
    /// Writes a message, which the consumer sees once it is published.
    ///
    /// # Errors
    ///
    /// A [`PushError`].
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

    /// Lets the consumer see all that is written, and wakes it where it sleeps.
    pub fn publish<S: Sleep + Copy>(&mut self, ring: &Ring<'_, S>) {
        if self.published != self.written {
            ring.set_tail(self.written);
            self.published = self.written;
        }
    }

    /// How many messages have ever been written.
    pub fn written(&self) -> u32 {
        self.written
    }

    /// How many messages the consumer is done with.
    ///
    /// # Errors
    ///
    /// [`Broken`].
    pub fn done<S: Sleep + Copy>(&self, ring: &Ring<'_, S>) -> Result<u32, Broken> {
        let head = ring.head();
        ring.between(head, self.written)?;
        Ok(head)
    }

    /// How many messages the consumer is not done with.
    ///
    /// # Errors
    ///
    /// [`Broken`].
    pub fn under_way<S: Sleep + Copy>(&self, ring: &Ring<'_, S>) -> Result<u32, Broken> {
        ring.between(ring.head(), self.written)
    }

    /// Whether there is a free slot.
    ///
    /// # Errors
    ///
    /// [`Broken`].
    pub fn has_room<S: Sleep + Copy>(&self, ring: &Ring<'_, S>) -> Result<bool, Broken> {
        Ok(self.under_way(ring)? < ring.capacity())
    }

    /// Waits until the consumer is done with more than `seen` messages.
    ///
    /// # Errors
    ///
    /// [`Closed`].
    pub fn wait<S: Sleep + Copy>(
        &self,
        ring: &Ring<'_, S>,
        seen: u32,
        closed: &AtomicBool,
    ) -> Result<(), Closed> {
        ring.sleep_for_slot(seen, closed)
    }
}
