use crate::arena::Region;
use crate::protocol::{ProtocolError, ResponseMessage, ToServer};
use crate::ring::PushError;

use super::end::{End, lock};
use super::outgoing::{Outgoing, Sent};
use super::{AllocatedResponses, EncodedResponses, Server, SessionError};

/// The maximum number of bytes of responses that wait for tritonserver before writing blocks.
const MAX_IN_FLIGHT_BYTES: usize = 256 << 20;

impl Server {
    /// Writes responses to requests of a batch; `fill` writes their tensors. tritonserver sees them
    /// when they are [published](Self::publish), or when the batch is [finished](Self::finish).
    ///
    /// Blocks while tritonserver has too much to read.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Memory`] if there is no memory for them. Smaller ones may still fit.
    pub fn respond(
        &self,
        (batch, begun): (u64, u64),
        responses: &EncodedResponses,
        fill: impl FnOnce(&mut AllocatedResponses) -> Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        let (start, len) = responses.layout().ok_or(ProtocolError::Bounds)?;
        let end = &self.returns.end;
        if end.is_closed() {
            // The data may still be read, although the session has ended.
            return Err(SessionError::Closed);
        }
        let mut outgoing = lock(&end.outgoing);
        self.make_space(&mut outgoing, len)?;
        let announce = |number| ToServer::Segment(number).to_message();
        let allocated = end.allocate(&mut outgoing, len, announce)?;
        let mut allocated = AllocatedResponses { allocated, start };
        let written = allocated.describe(&responses.descriptions);
        if let Err(error) = written.and_then(|()| fill(&mut allocated)) {
            let region = allocated.allocated.hand_over();
            outgoing.arena.free(region);
            return Err(error);
        }
        if End::is_large(&outgoing) {
            self.registration.arm(End::IDLE);
        }
        let region = allocated.allocated.hand_over();
        for message in responses.messages((batch, begun), region, start) {
            self.push(&mut outgoing, message)?;
        }
        let written = outgoing.producer.written();
        outgoing.sent.push_back(Sent { written, region });
        Ok(())
    }

    /// Publishes the responses written.
    pub fn publish(&self) {
        let end = &self.returns.end;
        lock(&end.outgoing).producer.publish(&end.out());
    }

    /// Counts a response to a request that was sent through the side channel. Takes no memory.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if the session has ended.
    pub fn count(&self, batch: (u64, u64), position: (u32, u32)) -> Result<(), SessionError> {
        self.send_message(batch, position, false)
    }

    /// Ends the responses of a request, after the given number of them.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if the session has ended.
    pub fn end_request(&self, batch: (u64, u64), position: (u32, u32)) -> Result<(), SessionError> {
        self.send_message(batch, position, true)
    }

    fn send_message(
        &self,
        (batch, begun): (u64, u64),
        (request, sequence): (u32, u32),
        last: bool,
    ) -> Result<(), SessionError> {
        let message = ResponseMessage {
            batch,
            request,
            sequence,
            last,
            description: Region::default(),
            data: (0, 0),
            begun,
        };
        if self.returns.end.is_closed() {
            // Same as in `respond`.
            return Err(SessionError::Closed);
        }
        let mut outgoing = lock(&self.returns.end.outgoing);
        self.push(&mut outgoing, ToServer::Response(message))?;
        outgoing.producer.publish(&self.returns.end.out());
        Ok(())
    }

    /// Publishes the responses of a batch that has no more of them.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if the session has ended.
    pub fn finish(&self, batch: u64) -> Result<(), SessionError> {
        let end = &self.returns.end;
        let mut outgoing = self.returns.finish(batch, |returned| {
            let mut outgoing = lock(&end.outgoing);
            for batch in returned {
                self.push(&mut outgoing, ToServer::Returned { batch })?;
            }
            Ok::<_, SessionError>(outgoing)
        })?;
        outgoing.producer.publish(&end.out());
        drop(outgoing);
        lock(&self.cancelled).retain(|(other, _)| *other != batch);
        Ok(())
    }

    /// Frees what tritonserver has read. Waits while it has too much to read, or while no slot is
    /// free to announce another segment.
    fn make_space(&self, outgoing: &mut Outgoing, len: usize) -> Result<(), SessionError> {
        let ring = self.returns.end.out();
        loop {
            let done = outgoing.collect(&ring)?;
            let live = outgoing.arena.live();
            let fits = live == 0 || live.saturating_add(len) <= MAX_IN_FLIGHT_BYTES;
            if fits && outgoing.producer.has_space(&ring)? {
                return Ok(());
            }
            self.wait(outgoing, done)?;
        }
    }

    /// Writes a message; waits while no slot is free.
    pub(super) fn push(
        &self,
        outgoing: &mut Outgoing,
        message: ToServer,
    ) -> Result<(), SessionError> {
        let ring = self.returns.end.out();
        loop {
            // Read first: a slot that becomes free after this ends the wait.
            let seen = outgoing.producer.done(&ring)?;
            match outgoing.producer.push(&ring, &message.to_message()) {
                Ok(()) => return Ok(()),
                Err(PushError::Full) => self.wait(outgoing, seen)?,
                Err(PushError::Broken) => return Err(ProtocolError::Number.into()),
            }
        }
    }

    fn wait(&self, outgoing: &mut Outgoing, seen: u32) -> Result<(), SessionError> {
        let end = &self.returns.end;
        let ring = end.out();
        // The wait ends only after the peer has read these messages.
        outgoing.producer.publish(&ring);
        Ok(outgoing.producer.wait(&ring, seen, end.closed())?)
    }
}
