use std::collections::HashMap;
use std::time::Duration;

use crate::arena::Region;
use crate::ring::Consumer;
use crate::shm::{View, Views, receive};
use crate::sync::{Mutex, MutexGuard};
use crate::wire::{Answer, Up, WireError};

use super::SessionError;
use super::end::{End, lock};

/// What tritonserver's side has of what the worker says.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    consumer: Consumer,
    views: Views,
}

/// The regions that tritonserver's side has handed over.
#[derive(Debug, Default)]
pub(super) struct Lent {
    /// Those that the worker has, by the batch.
    pub(super) batches: HashMap<u64, Region>,
    /// Those that it has given back and the arena does not know of yet.
    pub(super) returned: Vec<Region>,
}

/// The way to the answers of a session.
#[derive(Debug)]
pub struct Receiver<'a> {
    end: &'a End,
    incoming: MutexGuard<'a, Incoming>,
    lent: &'a Mutex<Lent>,
}

impl<'a> Receiver<'a> {
    pub(super) fn new(
        end: &'a End,
        incoming: MutexGuard<'a, Incoming>,
        lent: &'a Mutex<Lent>,
    ) -> Self {
        Self {
            end,
            incoming,
            lent,
        }
    }

    /// The next answer, if there is one now.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when the worker says what it cannot say.
    pub fn next_answer(&mut self) -> Result<Option<Answer>, SessionError> {
        let incoming = &mut *self.incoming;
        let ring = self.end.incoming();
        while let Some(message) = incoming.consumer.pop(&ring)? {
            match Up::read(&message)? {
                Up::Answer(answer) => return Ok(Some(answer)),
                Up::Returned { batch } => {
                    let mut lent = lock(self.lent);
                    let region = lent.batches.remove(&batch).ok_or(WireError::Number)?;
                    lent.returned.push(region);
                }
                Up::Segment(number) => {
                    let [segment] = receive(&self.end.socket)?;
                    incoming.views.insert(number, View::new(segment)?);
                }
                Up::Retired(number) => incoming.views.remove(number),
            }
        }
        Ok(None)
    }

    /// The description of an answer, copied, and its tensors where they lie; until [`release`](Self::release).
    ///
    /// # Errors
    ///
    /// A [`WireError`] when they lie outside of what the worker has handed over.
    pub fn read(&self, answer: &Answer, description: &mut Vec<u8>) -> Result<&[u8], WireError> {
        let view = self.incoming.views.get(answer.description.segment);
        let view = view.ok_or(WireError::Bounds)?;
        let Region { offset, len, .. } = answer.description;
        description.clear();
        description.extend_from_slice(view.bytes(offset, len).ok_or(WireError::Bounds)?);
        let (offset, len) = answer.data;
        view.bytes(offset, len).ok_or(WireError::Bounds)
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
        self.release();
        let ring = self.end.incoming();
        let closed = self.end.closed();
        Ok(self.incoming.consumer.wait(&ring, closed, at_most)?)
    }
}
