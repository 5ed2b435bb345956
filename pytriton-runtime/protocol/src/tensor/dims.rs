use std::fmt;
use std::ops::{Deref, DerefMut};

/// The number of dimensions that are stored inline.
const INLINE_DIMS: usize = 4;

/// The dimensions of a tensor, starting with axis 0.
#[derive(Clone)]
pub struct Dims(Storage);

#[derive(Clone)]
enum Storage {
    /// The number of dimensions, and the dimensions.
    Inline(u8, [usize; INLINE_DIMS]),
    Heap(Box<[usize]>),
}

impl From<&[usize]> for Dims {
    #[inline]
    fn from(dims: &[usize]) -> Self {
        let mut inline = [0; INLINE_DIMS];
        let storage = match (inline.get_mut(..dims.len()), u8::try_from(dims.len())) {
            (Some(place), Ok(count)) => {
                place.copy_from_slice(dims);
                Storage::Inline(count, inline)
            }
            _ => Storage::Heap(dims.into()),
        };
        Self(storage)
    }
}

impl From<Vec<usize>> for Dims {
    #[inline]
    fn from(dims: Vec<usize>) -> Self {
        match dims.len() <= INLINE_DIMS {
            true => Self::from(dims.as_slice()),
            false => Self(Storage::Heap(dims.into())),
        }
    }
}

impl FromIterator<usize> for Dims {
    fn from_iter<I: IntoIterator<Item = usize>>(dims: I) -> Self {
        let mut inline = [0; INLINE_DIMS];
        let mut count = 0;
        let mut dims = dims.into_iter();
        while let Some(dim) = dims.next() {
            let Some(place) = inline.get_mut(usize::from(count)) else {
                let many = inline.into_iter().chain([dim]).chain(dims);
                return Self(Storage::Heap(many.collect()));
            };
            *place = dim;
            count += 1;
        }
        Self(Storage::Inline(count, inline))
    }
}

impl Deref for Dims {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        match &self.0 {
            Storage::Inline(count, inline) => &inline[..usize::from(*count)],
            Storage::Heap(many) => many,
        }
    }
}

impl DerefMut for Dims {
    #[inline]
    fn deref_mut(&mut self) -> &mut [usize] {
        match &mut self.0 {
            Storage::Inline(count, inline) => &mut inline[..usize::from(*count)],
            Storage::Heap(many) => many,
        }
    }
}

impl PartialEq for Dims {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Dims {}

impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_stored_unchanged() {
        for count in 0..10 {
            let expected: Vec<usize> = (0..count).collect();
            let mut dims = Dims::from(expected.as_slice());
            assert_eq!(*dims, expected);
            assert_eq!(dims, Dims::from(expected.clone()));
            assert_eq!(dims, (0..count).collect());
            assert_eq!(format!("{dims:?}"), format!("{expected:?}"));
            if let Some(first) = dims.first_mut() {
                *first = 7;
                assert_ne!(dims, Dims::from(expected));
            }
        }
    }

    #[test]
    fn up_to_four_dimensions_take_no_memory() {
        for count in 0..10 {
            let dims: Vec<usize> = (0..count).collect();
            let all = [
                Dims::from(dims.as_slice()),
                Dims::from(dims),
                (0..count).collect(),
            ];
            for dims in all {
                assert_eq!(
                    matches!(dims.0, Storage::Inline(..)),
                    count <= 4,
                    "{dims:?}"
                );
            }
        }
    }
}
