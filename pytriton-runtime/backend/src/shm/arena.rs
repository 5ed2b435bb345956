use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use super::{Segment, SegmentError};
use crate::arena::{ALIGNMENT, FreeList, Region};

/// Memory regions for the other process, in any number of segments.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    slabs: Vec<Slab>,
    next: u32,
}

#[derive(Debug)]
struct Slab {
    number: u32,
    segment: Arc<Segment>,
    free: FreeList,
}

/// A region that is not handed over yet. It can be written only through this value.
#[derive(Debug)]
pub(crate) struct Allocated {
    segment: Arc<Segment>,
    region: Region,
    /// Whether the other process does not know the segment yet.
    pub(crate) unknown: bool,
}

impl Arena {
    /// The size of the first segment in address space.
    const FIRST: usize = 16 << 20;

    /// The memory that is kept when unused.
    pub(crate) const KEPT_BYTES: usize = 1 << 20;

    /// Allocates `len` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`SegmentError::Memory`] if the system refuses the memory.
    pub(crate) fn allocate(&mut self, len: usize) -> Result<Allocated, SegmentError> {
        let rounded = len.max(1).checked_next_multiple_of(ALIGNMENT);
        let rounded = rounded.ok_or_else(|| SegmentError::Memory {
            bytes: len,
            source: std::io::ErrorKind::FileTooLarge.into(),
        })?;
        for slab in &mut self.slabs {
            if let Some(allocated) = slab.allocate(rounded)? {
                return Ok(allocated);
            }
        }
        let mut slab = self.grow(rounded)?;
        let allocated = slab.allocate(rounded)?;
        self.slabs.push(slab);
        let allocated = allocated.map(|allocated| Allocated {
            unknown: true,
            ..allocated
        });
        allocated.ok_or(SegmentError::Bounds {
            offset: 0,
            len: rounded,
        })
    }

    /// Frees a region that the other process no longer reads.
    pub(crate) fn free(&mut self, region: Region) {
        let mut slabs = self.slabs.iter_mut();
        if let Some(slab) = slabs.find(|slab| slab.number == region.segment) {
            slab.free.release(region.offset, region.len);
        }
    }

    /// Drops a segment that the other process does not know.
    pub(crate) fn discard(&mut self, number: u32) {
        self.slabs.retain(|slab| slab.number != number);
    }

    /// Returns the number of allocated bytes.
    pub(crate) fn live(&self) -> usize {
        self.slabs.iter().map(|slab| slab.free.live()).sum()
    }

    /// Returns the number of bytes of memory it holds.
    pub(crate) fn committed(&self) -> usize {
        let segments = self.slabs.iter();
        segments.map(|slab| slab.segment.committed()).sum()
    }

    /// Releases the memory after the last region of each segment, except a small reserve of the
    /// first.
    pub(crate) fn trim(&mut self) {
        for slab in &self.slabs {
            let spare = if slab.number == 0 {
                Self::KEPT_BYTES
            } else {
                0
            };
            slab.segment.trim(slab.free.end().max(spare));
        }
    }

    /// Drops the segments without regions, except the first. Returns their numbers.
    pub(crate) fn retire(&mut self) -> Vec<u32> {
        let (kept, retired) = std::mem::take(&mut self.slabs)
            .into_iter()
            .partition(|slab| slab.number == 0 || slab.free.live() > 0);
        self.slabs = kept;
        let retired: Vec<Slab> = retired;
        retired.iter().map(|slab| slab.number).collect()
    }

    /// Creates a segment for a region of the given length. It is twice as long as the last one, to
    /// limit their number.
    fn grow(&mut self, len: usize) -> Result<Slab, SegmentError> {
        let longest = self.slabs.iter().map(|slab| slab.free.capacity()).max();
        let wished = longest.map_or(Self::FIRST, |longest| longest.saturating_mul(2));
        let segment = match Segment::new(c"pytriton", wished.max(len)) {
            Err(_) if wished > len => Segment::new(c"pytriton", len)?,
            segment => segment?,
        };
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        Ok(Slab {
            number,
            free: FreeList::new(segment.capacity()),
            segment: Arc::new(segment),
        })
    }
}

impl Slab {
    fn allocate(&mut self, len: usize) -> Result<Option<Allocated>, SegmentError> {
        let Some(offset) = self.free.take(len) else {
            return Ok(None);
        };
        if let Err(error) = self.segment.commit(offset + len) {
            self.free.release(offset, len);
            return Err(match error {
                SegmentError::Memory { source, .. } => SegmentError::Memory { bytes: len, source },
                bounds @ SegmentError::Bounds { .. } => bounds,
            });
        }
        Ok(Some(Allocated {
            segment: Arc::clone(&self.segment),
            region: Region {
                segment: self.number,
                offset,
                len,
            },
            unknown: false,
        }))
    }
}

impl Allocated {
    /// Copies bytes to an offset of the region.
    ///
    /// # Errors
    ///
    /// Returns [`SegmentError::Bounds`] if they do not fit.
    pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), SegmentError> {
        let len = bytes.len();
        let end = offset.checked_add(len);
        if end.is_none_or(|end| end > self.region.len) {
            return Err(SegmentError::Bounds { offset, len });
        }
        // SAFETY: the bytes are in the region, which only this value may write (invariant 3).
        unsafe { self.segment.write(self.region.offset + offset, bytes) }
    }

    /// Returns its location.
    pub(crate) fn region(&self) -> Region {
        self.region
    }

    /// Ends writing: from here on the region may belong to the other process.
    pub(crate) fn hand_over(self) -> Region {
        self.region
    }

    /// Returns the file of the segment.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.segment.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additional_segments_are_released_when_unused() {
        let mut arena = Arena::default();
        let small = arena.allocate(1).unwrap();
        assert!(small.unknown);
        let large = arena.allocate(40 << 20).unwrap();
        assert!(large.unknown);
        assert_eq!(large.region().segment, 1);
        let other = arena.allocate(100).unwrap();
        assert!(!other.unknown);
        assert_eq!((other.region().offset, other.region().len), (64, 128));
        assert!(arena.retire().is_empty());
        arena.free(large.hand_over());
        arena.trim();
        assert_eq!(arena.committed(), 64 << 10);
        assert_eq!(arena.retire(), [1]);
        arena.free(small.hand_over());
        arena.free(other.hand_over());
        assert!(arena.retire().is_empty());
        assert_eq!(arena.allocate(17 << 20).unwrap().region().segment, 2);
    }

    #[test]
    fn writes_outside_the_region_fail() {
        let mut arena = Arena::default();
        let mut one = arena.allocate(64).unwrap();
        let mut two = arena.allocate(64).unwrap();
        one.write(0, &[1; 64]).unwrap();
        assert!(one.write(1, &[2; 64]).is_err());
        assert!(one.write(usize::MAX, &[2]).is_err());
        two.write(63, &[2]).unwrap();
    }
}
