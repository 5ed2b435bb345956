use crate::arena::{Region, align};
use crate::shm::Allocated;
use crate::wire::{Answer, Up, WireError};

use super::SessionError;

/// Answers to be written: the bytes of their descriptions one behind the other, and how many bytes of tensors they have
/// together.
#[derive(Debug, Default)]
pub struct Answers {
    /// The descriptions.
    pub descriptions: Vec<u8>,
    /// The answers.
    pub each: Vec<Described>,
    /// The bytes of all tensors.
    pub data: usize,
}

/// An answer that is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Described {
    /// The request's position in its batch.
    pub request: u32,
    /// How many answers the request has had before.
    pub sequence: u32,
    /// Whether it is the request's last one.
    pub last: bool,
    /// Where its description ends. Without a description it is no answer, but the end of them.
    pub end: usize,
}

impl Answers {
    /// Forgets all of them, and keeps their memory.
    pub fn clear(&mut self) {
        self.descriptions.clear();
        self.each.clear();
        self.data = 0;
    }

    /// Notes that the description of the only answer to a request is written.
    pub fn end_only(&mut self, request: u32) {
        self.end((request, 0), true);
    }

    /// Notes that the description of an answer is written: which request's, the how-manieth, and whether it is the last.
    pub fn end(&mut self, (request, sequence): (u32, u32), last: bool) {
        let end = self.descriptions.len();
        self.each.push(Described {
            request,
            sequence,
            last,
            end,
        });
    }

    /// Where the tensors begin, and how many bytes all take.
    pub(super) fn place(&self) -> Option<(usize, usize)> {
        let start = align(self.descriptions.len())?;
        Some((start, start.checked_add(self.data)?))
    }

    /// What is said of each, where they lie in a region.
    pub(super) fn messages(
        &self,
        (batch, begun): (u64, u64),
        region: Region,
        start: usize,
    ) -> impl Iterator<Item = Up> {
        let mut begin = 0;
        self.each.iter().map(move |answer| {
            let description = Region {
                segment: region.segment,
                offset: region.offset + begin,
                len: answer.end - begin,
            };
            begin = answer.end;
            Up::Answer(Answer {
                batch,
                request: answer.request,
                sequence: answer.sequence,
                last: answer.last,
                description,
                data: (region.offset + start, self.data),
                begun,
            })
        })
    }
}

/// Answers that are being written.
#[derive(Debug)]
pub struct Unanswered {
    pub(super) allocated: Allocated,
    pub(super) start: usize,
}

impl Unanswered {
    pub(super) fn describe(&mut self, descriptions: &[u8]) -> Result<(), SessionError> {
        Ok(self.allocated.write(0, descriptions)?)
    }

    /// Writes bytes of the tensors.
    ///
    /// # Errors
    ///
    /// [`SessionError::Memory`] when there are more than said.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), SessionError> {
        let offset = self.start.checked_add(offset).ok_or(WireError::Bounds)?;
        Ok(self.allocated.write(offset, bytes)?)
    }
}
