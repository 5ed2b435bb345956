/// The location of a tensor in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// Allocates consecutive locations that start at cache-line boundaries.
#[derive(Debug, Default)]
pub(super) struct LocationAllocator {
    end: usize,
}

const ALIGNMENT: usize = 64;

impl LocationAllocator {
    /// Allocates the next location; `None` on overflow.
    pub(super) fn next(&mut self, len: usize) -> Option<Location> {
        let offset = self.end.checked_next_multiple_of(ALIGNMENT)?;
        self.end = offset.checked_add(len)?;
        Some(Location { offset, len })
    }

    /// Returns the end of the last location.
    pub(super) fn end(&self) -> usize {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_disjoint_and_aligned() {
        let mut allocator = LocationAllocator::default();
        let next = |allocator: &mut LocationAllocator, len| {
            allocator.next(len).map(|location| location.offset)
        };
        assert_eq!(next(&mut allocator, 3), Some(0));
        assert_eq!(next(&mut allocator, 64), Some(64));
        assert_eq!(next(&mut allocator, 1), Some(128));
        assert_eq!(allocator.end(), 129);
        assert_eq!(allocator.next(usize::MAX), None);
    }
}
