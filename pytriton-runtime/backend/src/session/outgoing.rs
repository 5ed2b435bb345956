use std::collections::{HashMap, VecDeque};
use std::os::unix::net::UnixStream;

use crate::arena::Region;
use crate::ring::{Message, Producer, PushError, Ring};
use crate::shm::{Allocated, Arena, Futex, send};
use crate::wire::WireError;

use super::SessionError;

/// What one side says and lends.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub(super) producer: Producer,
    pub(super) arena: Arena,
    /// The regions that come back with a message, by the batch.
    pub(super) lent: HashMap<u64, Region>,
    /// The regions that come back with the slots of their messages.
    pub(super) sent: VecDeque<Sent>,
}

/// A region whose last message was written as that many others before it.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) written: u32,
    pub(super) region: Region,
}

impl Outgoing {
    /// Takes memory for the other side; `announce` makes the message that says to it of which number a new segment is.
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
        // What tritonserver says is less than its ring is long, and whoever answers has waited for a slot.
        pushed.map_err(|(PushError::Full | PushError::Broken)| WireError::Number.into())
    }

    /// Takes the regions back whose messages the other side is done with; says how many messages these are.
    pub(super) fn collect(&mut self, ring: &Ring<'_, Futex>) -> Result<u32, SessionError> {
        let done = self.producer.done(ring)?;
        while let Some(first) = self.sent.front() {
            // Positions wrap: what is not done is ahead by less than half of all numbers.
            if done.wrapping_sub(first.written) > u32::MAX / 2 {
                break;
            }
            self.arena.free(first.region);
            self.sent.pop_front();
        }
        Ok(done)
    }

    /// Gives memory back that has not been used lately; says which segments are used no more.
    pub(super) fn relax(&mut self, ring: &Ring<'_, Futex>, idle: bool) -> Vec<u32> {
        // Where the other side is out of its mind, the session ends elsewhere.
        let _ = self.collect(ring);
        self.arena.trim();
        match idle {
            true => self.arena.retire(),
            false => Vec::new(),
        }
    }
}
