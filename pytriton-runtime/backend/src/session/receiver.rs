use std::time::Duration;

use crate::arena::Region;
use crate::ring::Consumer;
use crate::shm::{Views, receive};
use crate::sync::MutexGuard;
use crate::wire::{Answer, Up, WireError};

use super::SessionError;
use super::end::{End, lock};

/// What tritonserver's side has of what the worker says.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    consumer: Consumer,
    views: Views,
}

/// What the worker says of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// An answer to one of its requests.
    Answer(Answer),
    /// The worker cannot read it, as it has no addresses for it: there are no answers.
    Refused {
        /// The batch.
        batch: u64,
    },
}

/// The way to the answers of a session.
#[derive(Debug)]
pub struct Receiver<'a> {
    end: &'a End,
    incoming: MutexGuard<'a, Incoming>,
}

impl<'a> Receiver<'a> {
    pub(super) fn new(end: &'a End, incoming: MutexGuard<'a, Incoming>) -> Self {
        Self { end, incoming }
    }

    /// The next answer, if there is one now.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when the worker says what it cannot say.
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

    /// The description of an answer that has one, copied, and its tensors where they lie; until [`release`](Self::release).
    ///
    /// # Errors
    ///
    /// [`SessionError::Protocol`] when they lie outside of what the worker has handed over, [`SessionError::Memory`] when
    /// there are no addresses for them.
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

    /// Gives the memory of all answers that were read back.
    pub fn release(&mut self) {
        let ring = self.end.incoming();
        self.incoming.consumer.release(&ring);
    }

    /// Gives back what was read, and waits for an answer, at most for a time.
    ///
    /// # Errors
    ///
    /// [`SessionError::Closed`] when there is none and there will be none.
    pub fn wait(&mut self, at_most: Option<Duration>) -> Result<(), SessionError> {
        self.wait_unless(at_most, || false)
    }

    /// The same, but does not wait if `interrupted` is true. A [nudge](super::Client::nudge) after
    /// it has become true ends the wait.
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait).
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
