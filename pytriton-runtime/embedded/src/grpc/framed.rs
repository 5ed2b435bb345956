use std::collections::VecDeque;
use std::mem::take;

use prost::Message;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request;
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::CodecError;
use pytriton_kserve::proto::{Envelope, ResponseWriter};
use tonic::Status;

use crate::service::Error;

use super::GrpcError;
use super::framing::{PREFIX, Prefix};

/// Messages are combined until they have this many bytes, so that a stream of small messages does
/// not become a stream of small frames.
pub(super) const COMBINED_BYTES: usize = 16 << 10;

/// Messages, each after its prefix.
#[derive(Debug)]
pub(super) struct Framed {
    pieces: VecDeque<TrackedBytes>,
    /// The messages after the pieces. More may be appended.
    small: TrackedBuffer,
}

/// Encodes a message with its prefix. `permit` is an empty permit of the budget that it counts
/// against.
pub(super) fn framed(message: &impl Message, permit: MemoryPermit) -> Result<Framed, Status> {
    let length = message.encoded_len();
    let prefix = prefix(length)?;
    let mut framed = Framed::new(permit);
    let reserved = framed.small.reserve(PREFIX + length);
    reserved.map_err(|error| GrpcError::from(Error::from(error)))?;
    let mut free = framed.small.free_mut();
    free.extend_from_slice(&prefix);
    // Encoding fails only for lack of space, which is reserved.
    let _ = message.encode(&mut free.buf_mut());
    Ok(framed)
}

/// Encodes a response, and writes its shared-memory outputs.
///
/// The outer error means that the response cannot be encoded, the inner one that it is too large.
pub(super) fn encode(
    writer: &ResponseWriter,
    response: request::Response,
    envelope: Envelope,
) -> Result<Result<Framed, Status>, CodecError> {
    let shared = writer.shared().map(|shared| (shared, response.clone()));
    let mut framed = Framed::new(writer.empty_permit());
    let written = writer.write(response, envelope, PREFIX, &mut framed.small)?;
    match prefix(written.length) {
        Ok(prefix) => framed.small.as_mut_slice()[..PREFIX].copy_from_slice(&prefix),
        Err(status) => return Ok(Err(status)),
    }
    if !written.others.is_empty() {
        framed.end_piece();
        framed.pieces.extend(written.others);
    }
    if let Some((shared, response)) = shared {
        shared.store(&response.outputs)?;
    }
    Ok(Ok(framed))
}

impl Framed {
    /// Creates an empty list of messages. `permit` is an empty permit of the budget that they count
    /// against.
    pub(super) fn new(permit: MemoryPermit) -> Self {
        Self {
            pieces: VecDeque::new(),
            small: TrackedBuffer::new(permit),
        }
    }

    /// Returns the messages and leaves none.
    pub(super) fn take(&mut self) -> Self {
        Self {
            pieces: take(&mut self.pieces),
            small: self.small.take(),
        }
    }

    /// Returns whether no further message should be combined with these.
    pub(super) fn is_full(&self) -> bool {
        self.small.as_slice().len() >= COMBINED_BYTES || !self.pieces.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.small.as_slice().is_empty()
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        let pieces = self.pieces.iter().map(|piece| piece.len());
        pieces.sum::<usize>() + self.small.as_slice().len()
    }

    /// Appends messages. Small ones are copied to those before them, unless the memory for the copy
    /// cannot be reserved.
    pub(super) fn append(&mut self, messages: Self) {
        for piece in messages.pieces {
            if piece.len() >= COMBINED_BYTES || !self.combine(&piece) {
                self.end_piece();
                self.pieces.push_back(piece);
            }
        }
        if !self.combine(messages.small.as_slice()) {
            self.end_piece();
            self.small = messages.small;
        }
    }

    /// Copies bytes to the small messages. Returns `false` if no small message waits, or if the
    /// memory for the copy cannot be reserved.
    fn combine(&mut self, bytes: &[u8]) -> bool {
        !self.small.as_slice().is_empty() && self.small.extend_from_slice(bytes).is_ok()
    }

    /// Moves the small messages to the pieces.
    fn end_piece(&mut self) {
        let small = self.take_small();
        self.pieces.extend(small);
    }

    fn take_small(&mut self) -> Option<TrackedBytes> {
        let is_empty = self.small.as_slice().is_empty();
        (!is_empty).then(|| self.small.take().freeze())
    }

    /// Removes the first bytes.
    pub(super) fn pop(&mut self) -> Option<TrackedBytes> {
        self.pieces.pop_front().or_else(|| self.take_small())
    }
}

fn prefix(length: usize) -> Result<[u8; PREFIX], Status> {
    let length = u32::try_from(length).map_err(|_| GrpcError::ResponseTooLarge { length })?;
    Ok(Prefix::plain(length))
}
