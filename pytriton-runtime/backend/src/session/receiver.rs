use std::time::Duration;

use crate::arena::Region;
use crate::protocol::{ProtocolError, ResponseMessage, ToServer};
use crate::ring::Consumer;
use crate::shm::{Views, receive};
use crate::sync::MutexGuard;

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
pub enum BatchMessage {
    /// A response to one of its requests.
    Response(ResponseMessage),
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
    pub fn next_message(&mut self) -> Result<Option<BatchMessage>, SessionError> {
        let incoming = &mut *self.incoming;
        let ring = self.end.incoming();
        while let Some(message) = incoming.consumer.pop(&ring)? {
            match ToServer::read(&message)? {
                ToServer::Response(response) => {
                    return Ok(Some(BatchMessage::Response(response)));
                }
                ToServer::Refused { batch } => return Ok(Some(BatchMessage::Refused { batch })),
                ToServer::Returned { batch } => {
                    let mut outgoing = lock(&self.end.outgoing);
                    let region = outgoing.unreturned.remove(&batch);
                    outgoing.arena.free(region.ok_or(ProtocolError::Number)?);
                }
                ToServer::Segment(number) => {
                    let [segment] = receive(&self.end.socket)?;
                    incoming.views.insert(number, segment);
                }
                ToServer::Retired(number) => incoming.views.remove(number),
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
        response: &ResponseMessage,
        description: &mut Vec<u8>,
    ) -> Result<&[u8], SessionError> {
        let (_, data) = response.data;
        let view = self
            .incoming
            .views
            .get(response.description.segment, data)?;
        let view = view.ok_or(ProtocolError::Bounds)?;
        let Region { offset, len, .. } = response.description;
        description.clear();
        description.extend_from_slice(view.bytes(offset, len).ok_or(ProtocolError::Bounds)?);
        let (offset, len) = response.data;
        Ok(view.bytes(offset, len).ok_or(ProtocolError::Bounds)?)
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
    /// [interrupt](super::Client::interrupt) after it has become true ends the wait.
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
