use std::time::Duration;

use crate::arena::Region;
use crate::ring::Consumer;
use crate::shm::{Views, receive};
use crate::sync::MutexGuard;
use crate::wire::{Answer, Up, WireError};

use super::SessionError;
use super::end::{End, lock};

/// tritonserver's state for reading the worker's messages.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    consumer: Consumer,
    views: Views,
}

/// A message about a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// A response to one of its requests.
    Answer(Answer),
    /// The worker has no address space for the batch: there are no responses.
    Refused {
        /// The batch.
        batch: u64,
    },
}

/// The receiver of a session's responses.
#[derive(Debug)]
pub struct Receiver<'a> {
    end: &'a End,
    incoming: MutexGuard<'a, Incoming>,
}

impl<'a> Receiver<'a> {
    pub(super) fn new(end: &'a End, incoming: MutexGuard<'a, Incoming>) -> Self {
        Self { end, incoming }
    }

    /// Returns the next response, if there is one now.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if a message is invalid.
    pub fn next_answer(&mut self) -> Result<Option<Heard>, SessionError> {
        let incoming = &mut *self.incoming;
        let ring = self.end.incoming();
        while let Some(message) = incoming.consumer.pop(&ring)? {
            match Up::read(&message)? {
                Up::Answer(answer) => return Ok(Some(Heard::Answer(answer))),
                Up::Refused { batch } => return Ok(Some(Heard::Refused { batch })),
                Up::Returned { batch } => {
                    let mut outgoing = lock(&self.end.outgoing);
                    let region = outgoing.lent.remove(&batch);
                    outgoing.arena.free(region.ok_or(WireError::Number)?);
                }
                Up::Segment(number) => {
                    let [segment] = receive(&self.end.socket)?;
                    incoming.views.insert(number, segment);
                }
                Up::Retired(number) => incoming.views.remove(number),
            }
        }
        Ok(None)
    }

    /// Copies the description of a response, and returns its tensors in place. They are valid until
    /// [`release`](Self::release). The response must have a description.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Protocol`] if they are outside the memory that was handed over, and
    /// [`SessionError::Memory`] if there is no address space for them.
    pub fn read(
        &mut self,
        answer: &Answer,
        description: &mut Vec<u8>,
    ) -> Result<&[u8], SessionError> {
        let (_, data) = answer.data;
        let view = self.incoming.views.get(answer.description.segment, data)?;
        let view = view.ok_or(WireError::Bounds)?;
        let Region { offset, len, .. } = answer.description;
        description.clear();
        description.extend_from_slice(view.bytes(offset, len).ok_or(WireError::Bounds)?);
        let (offset, len) = answer.data;
        Ok(view.bytes(offset, len).ok_or(WireError::Bounds)?)
    }

    /// Releases the memory of all responses that were read.
    pub fn release(&mut self) {
        let ring = self.end.incoming();
        self.incoming.consumer.release(&ring);
    }

    /// Releases what was read, and waits for a response, at most for a time.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Closed`] if no response is available and none will follow.
    pub fn wait(&mut self, at_most: Option<Duration>) -> Result<(), SessionError> {
        self.wait_unless(at_most, || false)
    }

    /// Same as [`wait`](Self::wait), but returns immediately if `interrupted` is true. A
    /// [nudge](super::Client::nudge) after it has become true ends the wait.
    ///
    /// # Errors
    ///
    /// Same as [`wait`](Self::wait).
    pub fn wait_unless(
        &mut self,
        at_most: Option<Duration>,
        interrupted: impl FnOnce() -> bool,
    ) -> Result<(), SessionError> {
        self.release();
        let ring = self.end.incoming();
        let closed = self.end.closed();
        let consumer = &self.incoming.consumer;
        Ok(consumer.wait_unless(&ring, closed, at_most, interrupted)?)
    }
}
