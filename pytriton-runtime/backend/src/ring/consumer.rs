use std::time::Duration;

use crate::sync::AtomicBool;

use super::{Broken, Closed, Message, Ring, Sleep};

/// The position of the side that reads messages.
#[derive(Debug, Default)]
pub struct Consumer {
    /// How many messages have been read.
    read: u32,
    /// How many of them the producer knows to be done with.
    released: u32,
}

impl Consumer {
    /// The next message, copied out of shared memory; `None` when there is none now.
    ///
    /// # Errors
    ///
    /// [`Broken`].
    pub fn pop<S: Sleep + Copy>(&mut self, ring: &Ring<'_, S>) -> Result<Option<Message>, Broken> {
        if ring.between(self.read, ring.tail())? == 0 {
            return Ok(None);
        }
        let message = ring.load(self.read);
        self.read = self.read.wrapping_add(1);
        Ok(Some(message))
    }

    /// Gives the slots of all messages that were read back, and all that these speak of.
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
    /// [`Closed`] when there is none and there will be none.
    pub fn wait<S: Sleep + Copy>(
        &self,
        ring: &Ring<'_, S>,
        closed: &AtomicBool,
        at_most: Option<Duration>,
    ) -> Result<(), Closed> {
        self.wait_unless(ring, closed, at_most, || false)
    }

    /// The same, but does not wait if `interrupted` is true. It is asked once the wait is
    /// announced, so that a [nudge](Ring::nudge) after it has become true is not lost: either it is
    /// seen here, or the nudge ends the wait.
    ///
    /// # Errors
    ///
    /// [`Closed`] when there is no message and there will be none.
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
