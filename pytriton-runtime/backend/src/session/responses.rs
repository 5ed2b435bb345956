use crate::arena::{Region, align};
use crate::protocol::{ProtocolError, ResponseMessage, ToServer};
use crate::shm::Allocated;

use super::SessionError;

/// Responses to be written: their concatenated descriptions, and the total size of their tensors.
#[derive(Debug, Default)]
pub struct EncodedResponses {
    /// The descriptions.
    pub descriptions: Vec<u8>,
    /// The responses.
    pub each: Vec<ResponseEntry>,
    /// The size of all tensors in bytes.
    pub data: usize,
}

/// A described response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseEntry {
    /// The request's position in its batch.
    pub request: u32,
    /// The number of responses to the request before this one.
    pub sequence: u32,
    /// Whether it is the last response to the request.
    pub last: bool,
    /// The end of its description. An empty description marks the end of the responses.
    pub end: usize,
}

impl EncodedResponses {
    /// Removes all responses, and keeps the memory.
    pub fn clear(&mut self) {
        self.descriptions.clear();
        self.each.clear();
        self.data = 0;
    }

    /// Completes the description of the only response to a request.
    pub fn end_only(&mut self, request: u32) {
        self.end((request, 0), true);
    }

    /// Completes the description of a response: its request, its number, and whether it is the
    /// last.
    pub fn end(&mut self, (request, sequence): (u32, u32), last: bool) {
        let end = self.descriptions.len();
        self.each.push(ResponseEntry {
            request,
            sequence,
            last,
            end,
        });
    }

    /// Returns the offset of the tensors, and the total size.
    pub(super) fn layout(&self) -> Option<(usize, usize)> {
        let start = align(self.descriptions.len())?;
        Some((start, start.checked_add(self.data)?))
    }

    /// Returns the message for each response, for their location in a region.
    pub(super) fn messages(
        &self,
        (batch, begun): (u64, u64),
        region: Region,
        start: usize,
    ) -> impl Iterator<Item = ToServer> {
        let mut begin = 0;
        self.each.iter().map(move |response| {
            let description = Region {
                segment: region.segment,
                offset: region.offset + begin,
                len: response.end - begin,
            };
            begin = response.end;
            ToServer::Response(ResponseMessage {
                batch,
                request: response.request,
                sequence: response.sequence,
                last: response.last,
                description,
                data: (region.offset + start, self.data),
                begun,
            })
        })
    }
}

/// Responses that are being written.
#[derive(Debug)]
pub struct AllocatedResponses {
    pub(super) allocated: Allocated,
    pub(super) start: usize,
}

impl AllocatedResponses {
    pub(super) fn describe(&mut self, descriptions: &[u8]) -> Result<(), SessionError> {
        Ok(self.allocated.write(0, descriptions)?)
    }

    /// Writes bytes of the tensors.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Memory`] if they exceed the announced size.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), SessionError> {
        let offset = self
            .start
            .checked_add(offset)
            .ok_or(ProtocolError::Bounds)?;
        Ok(self.allocated.write(offset, bytes)?)
    }
}
