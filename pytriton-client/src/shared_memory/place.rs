/// The location of a tensor in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// Allocates consecutive locations that start at cache-line boundaries.
#[derive(Debug, Default)]
pub(super) struct Places {
    end: usize,
}

const ALIGNMENT: usize = 64;

impl Places {
    /// Allocates the next location; `None` on overflow.
    pub(super) fn next(&mut self, len: usize) -> Option<Place> {
        let offset = self.end.checked_next_multiple_of(ALIGNMENT)?;
        self.end = offset.checked_add(len)?;
        Some(Place { offset, len })
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
    fn places_are_apart_and_aligned() {
        let mut places = Places::default();
        let next = |places: &mut Places, len| places.next(len).map(|place| place.offset);
        assert_eq!(next(&mut places, 3), Some(0));
        assert_eq!(next(&mut places, 64), Some(64));
        assert_eq!(next(&mut places, 1), Some(128));
        assert_eq!(places.end(), 129);
        assert_eq!(places.next(usize::MAX), None);
    }
}
