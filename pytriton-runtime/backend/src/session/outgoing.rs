use std::os::unix::net::UnixStream;

use crate::ring::{Message, Producer, PushError, Ring};
use crate::shm::{Allocated, Arena, Futex, send};
use crate::wire::WireError;

use super::SessionError;

/// What one side says and lends.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub(super) producer: Producer,
    pub(super) arena: Arena,
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
        // The rings are longer than what can be under way.
        pushed.map_err(|(PushError::Full | PushError::Broken)| WireError::Number.into())
    }

    /// Gives memory back that has not been used lately; says which segments are used no more.
    pub(super) fn relax(&mut self, idle: bool) -> Vec<u32> {
        self.arena.trim();
        match idle {
            true => self.arena.retire(),
            false => Vec::new(),
        }
    }
}
