use std::fmt;
use std::ops::{Deref, DerefMut};

/// The number of dimensions that are stored inline.
const FEW: usize = 4;

/// The dimensions of a tensor, starting with axis 0.
#[derive(Clone)]
pub struct Dims(Kept);

#[derive(Clone)]
enum Kept {
    /// The number of dimensions, and the dimensions.
    Few(u8, [usize; FEW]),
    Many(Box<[usize]>),
}

impl From<&[usize]> for Dims {
    #[inline]
    fn from(dims: &[usize]) -> Self {
        let mut few = [0; FEW];
        let kept = match (few.get_mut(..dims.len()), u8::try_from(dims.len())) {
            (Some(place), Ok(count)) => {
                place.copy_from_slice(dims);
                Kept::Few(count, few)
            }
            _ => Kept::Many(dims.into()),
        };
        Self(kept)
    }
}

impl From<Vec<usize>> for Dims {
    #[inline]
    fn from(dims: Vec<usize>) -> Self {
        match dims.len() <= FEW {
            true => Self::from(dims.as_slice()),
            false => Self(Kept::Many(dims.into())),
        }
    }
}

impl FromIterator<usize> for Dims {
    fn from_iter<I: IntoIterator<Item = usize>>(dims: I) -> Self {
        let mut few = [0; FEW];
        let mut count = 0;
        let mut dims = dims.into_iter();
        while let Some(dim) = dims.next() {
            let Some(place) = few.get_mut(usize::from(count)) else {
                let many = few.into_iter().chain([dim]).chain(dims);
                return Self(Kept::Many(many.collect()));
            };
            *place = dim;
            count += 1;
        }
        Self(Kept::Few(count, few))
    }
}

impl Deref for Dims {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        match &self.0 {
            Kept::Few(count, few) => &few[..usize::from(*count)],
            Kept::Many(many) => many,
        }
    }
}

impl DerefMut for Dims {
    #[inline]
    fn deref_mut(&mut self) -> &mut [usize] {
        match &mut self.0 {
            Kept::Few(count, few) => &mut few[..usize::from(*count)],
            Kept::Many(many) => many,
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
    fn any_number_is_kept_as_it_was() {
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
}
