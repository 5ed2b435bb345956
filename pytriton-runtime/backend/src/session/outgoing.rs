use std::collections::{HashMap, VecDeque};
use std::os::unix::net::UnixStream;

use crate::arena::Region;
use crate::protocol::ProtocolError;
use crate::ring::{Message, Producer, PushError, Ring};
use crate::shm::{Allocated, Arena, Futex, send};

use super::SessionError;

/// The sending half of one side: its ring and its arena.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub(super) producer: Producer,
    pub(super) arena: Arena,
    /// Regions that are returned by a message, by batch.
    pub(super) unreturned: HashMap<u64, Region>,
    /// Regions that are returned with the slots of their messages.
    pub(super) sent: VecDeque<Sent>,
}

/// A region, and the number of messages written before its last message.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) written: u32,
    pub(super) region: Region,
}

impl Outgoing {
    /// Allocates memory for the other side. `announce` creates the message with the number of a new
    /// segment.
    pub(super) fn allocate(
        &mut self,
        ring: &Ring<'_, Futex>,
        socket: &UnixStream,
        len: usize,
        announce: fn(u32) -> Message,
    ) -> Result<Allocated, SessionError> {
        let allocated = self.arena.allocate(len)?;
        if !allocated.unknown {
            return Ok(allocated);
        }
        let sent = send(socket, &[allocated.file()]).map_err(SessionError::from);
        let number = allocated.region().segment;
        let announced = sent.and_then(|()| self.push(ring, &announce(number)));
        if let Err(error) = announced {
            self.arena.discard(number);
            return Err(error);
        }
        Ok(allocated)
    }

    /// Writes a message.
    pub(super) fn push(
        &mut self,
        ring: &Ring<'_, Futex>,
        message: &Message,
    ) -> Result<(), SessionError> {
        let pushed = self.producer.push(ring, message);
        // tritonserver never has more messages in flight than its ring holds, and the worker has
        // waited for a slot.
        pushed.map_err(|(PushError::Full | PushError::Broken)| ProtocolError::Number.into())
    }

    /// Frees the regions whose messages the other side has released. Returns the number of released
    /// messages.
    pub(super) fn collect(&mut self, ring: &Ring<'_, Futex>) -> Result<u32, SessionError> {
        let done = self.producer.done(ring)?;
        while let Some(first) = self.sent.front() {
            // Positions wrap around: one that is not released is ahead by less than half of the
            // range.
            if done.wrapping_sub(first.written) > u32::MAX / 2 {
                break;
            }
            self.arena.free(first.region);
            self.sent.pop_front();
        }
        Ok(done)
    }

    /// Releases memory that was not used lately. Returns the segments that are no longer used.
    pub(super) fn relax(&mut self, ring: &Ring<'_, Futex>, idle: bool) -> Vec<u32> {
        // If the peer's position is invalid, the session ends elsewhere.
        let _ = self.collect(ring);
        self.arena.trim();
        match idle {
            true => self.arena.retire(),
            false => Vec::new(),
        }
    }
}
