use std::mem::take;
use std::ops::{Deref, DerefMut};
use std::{option, slice, vec};

/// A list of values. A single value needs no allocation.
#[derive(Debug, Clone)]
pub struct SmallVec<T>(Repr<T>);

#[derive(Debug, Clone)]
enum Repr<T> {
    One([T; 1]),
    /// Any other number of values.
    Other(Vec<T>),
}

impl<T: Clone> SmallVec<T> {
    /// Returns a list with `count` copies of a value.
    pub fn repeat(value: T, count: usize) -> Self {
        match count {
            1 => Self::one(value),
            _ => Self(Repr::Other(vec![value; count])),
        }
    }
}

impl<T> SmallVec<T> {
    /// Returns a list with a single value.
    pub const fn one(value: T) -> Self {
        Self(Repr::One([value]))
    }

    /// Returns a list with the results of `function` for all values.
    pub fn map<U>(self, function: impl FnMut(T) -> U) -> SmallVec<U> {
        SmallVec(match self.0 {
            Repr::One(one) => Repr::One(one.map(function)),
            Repr::Other(other) => Repr::Other(other.into_iter().map(function).collect()),
        })
    }
}

impl<T> SmallVec<T> {
    /// Returns a list with the results of `function` that are not `None`.
    pub(crate) fn filter_map<U>(self, function: impl FnMut(T) -> Option<U>) -> SmallVec<U> {
        SmallVec(match self.0 {
            Repr::One(one) => match one.map(function) {
                [Some(one)] => Repr::One([one]),
                [None] => Repr::Other(Vec::new()),
            },
            Repr::Other(other) => {
                let mut values = Vec::with_capacity(other.len());
                values.extend(other.into_iter().filter_map(function));
                Repr::Other(values)
            }
        })
    }
}

impl<T: PartialEq> PartialEq for SmallVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for SmallVec<T> {}

impl<T> Default for SmallVec<T> {
    fn default() -> Self {
        Self(Repr::Other(Vec::new()))
    }
}

impl<T> From<Vec<T>> for SmallVec<T> {
    fn from(values: Vec<T>) -> Self {
        match <[T; 1]>::try_from(values) {
            Ok(one) => Self(Repr::One(one)),
            Err(other) => Self(Repr::Other(other)),
        }
    }
}

impl<T> FromIterator<T> for SmallVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut values = values.into_iter();
        let repr = match (values.next(), values.next()) {
            (Some(one), None) => Repr::One([one]),
            (one, two) => Repr::Other(one.into_iter().chain(two).chain(values).collect()),
        };
        Self(repr)
    }
}

impl<T> Extend<T> for SmallVec<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let mut all = Vec::from(take(self));
        all.extend(values);
        self.0 = Repr::Other(all);
    }
}

impl<T> From<SmallVec<T>> for Vec<T> {
    fn from(few: SmallVec<T>) -> Self {
        match few.0 {
            Repr::One(one) => Self::from(one),
            Repr::Other(other) => other,
        }
    }
}

impl<T> Deref for SmallVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::One(one) => one,
            Repr::Other(other) => other,
        }
    }
}

impl<T> DerefMut for SmallVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Repr::One(one) => one,
            Repr::Other(other) => other,
        }
    }
}

/// The values of a list.
#[derive(Debug)]
pub enum IntoIter<T> {
    /// A single value.
    One(option::IntoIter<T>),
    /// Any other number of values.
    Other(vec::IntoIter<T>),
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match self {
            Self::One(one) => one.next(),
            Self::Other(other) => other.next(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::One(one) => one.size_hint(),
            Self::Other(other) => other.size_hint(),
        }
    }
}

impl<T> IntoIterator for SmallVec<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        match self.0 {
            Repr::One([one]) => IntoIter::One(Some(one).into_iter()),
            Repr::Other(other) => IntoIter::Other(other.into_iter()),
        }
    }
}

impl<'a, T> IntoIterator for &'a mut SmallVec<T> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<'a, T> IntoIterator for &'a SmallVec<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_returned_in_order() {
        for count in 0..5 {
            let expected: Vec<usize> = (0..count).collect();
            let mut few: SmallVec<usize> = (0..count).collect();
            assert_eq!(*few, expected);
            assert_eq!(few, SmallVec::from(expected.clone()));
            assert_eq!((&few).into_iter().count(), count);
            assert_eq!(*SmallVec::repeat(7, count), vec![7; count]);
            assert_eq!(Vec::from(few.clone()), expected);
            let doubled: Vec<usize> = expected.iter().map(|value| 2 * value).collect();
            assert_eq!(few.clone().map(|value| 2 * value), SmallVec::from(doubled));
            for more in 0..3 {
                let mut longer = few.clone();
                longer.extend(count..count + more);
                assert_eq!(longer, (0..count + more).collect());
                assert_eq!(*longer, *(0..count + more).collect::<Vec<_>>());
            }
            few.iter_mut().for_each(|value| *value += 1);
            (&mut few).into_iter().for_each(|value| *value -= 1);
            assert_eq!(few.clone().into_iter().collect::<Vec<_>>(), expected);
            if let Some(last) = few.last_mut() {
                *last = 7;
                assert_ne!(*few, expected);
            }
        }
    }
}
