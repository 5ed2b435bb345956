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
    /// For each answer the request's position, and where its description ends.
    pub ends: Vec<(u32, usize)>,
    /// The bytes of all tensors.
    pub data: usize,
}

impl Answers {
    /// Forgets all of them, and keeps their memory.
    pub fn clear(&mut self) {
        self.descriptions.clear();
        self.ends.clear();
        self.data = 0;
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
        self.ends.iter().map(move |&(request, ends)| {
            let description = Region {
                segment: region.segment,
                offset: region.offset + begin,
                len: ends - begin,
            };
            begin = ends;
            Up::Answer(Answer {
                batch,
                request,
                sequence: 0,
                last: true,
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
