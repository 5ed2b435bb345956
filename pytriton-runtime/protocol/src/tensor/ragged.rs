use std::iter::FusedIterator;
use std::slice::Windows;

use ndarray::{ArrayView1, s};
use thiserror::Error;

/// The rows of a ragged batch: arrays of one dimension and of different lengths.
///
/// All values are contiguous, in the order of the rows, and [`offsets`](Self::offsets) contains the
/// end of each row. A `Ragged` borrows both and can be copied.
///
/// # Examples
///
/// ```
/// use pytriton_protocol::tensor::Ragged;
///
/// let values = ndarray::array![1, 2, 3, 4];
/// let ragged = Ragged::new(values.view(), &[0, 3, 3, 4])?;
/// let sums: Vec<i32> = ragged.rows().map(|row| row.sum()).collect();
/// assert_eq!(sums, [6, 0, 4]);
/// # Ok::<(), pytriton_protocol::tensor::OffsetsError>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct Ragged<'a, T> {
    values: ArrayView1<'a, T>,
    offsets: &'a [usize],
}

/// Offsets that do not divide the values into rows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OffsetsError {
    /// `Ragged::new`: the offsets are empty or do not start with 0.
    #[error("the first offset must be 0")]
    First,
    /// `Ragged::new`: the offsets decrease.
    #[error("row {row} must not end before it begins")]
    Decreasing {
        /// The index of the row.
        row: usize,
    },
    /// `Ragged::new`: the last offset differs from the number of values.
    #[error("the last offset must be the number of values, {expected}, but is {got}")]
    Last {
        /// The number of values.
        expected: usize,
        /// The last offset.
        got: usize,
    },
}

impl<'a, T> Ragged<'a, T> {
    /// Divides values into rows: row `i` consists of the values from `offsets[i]` to
    /// `offsets[i + 1]`.
    ///
    /// # Errors
    ///
    /// Returns an [`OffsetsError`] if the offsets do not begin with 0, decrease, or do not end with
    /// the number of values.
    #[expect(clippy::needless_pass_by_value, reason = "views are passed by value")]
    pub fn new(values: ArrayView1<'a, T>, offsets: &'a [usize]) -> Result<Self, OffsetsError> {
        let [0, ..] = offsets else {
            return Err(OffsetsError::First);
        };
        if let Some(row) = offsets.windows(2).position(|ends| ends[0] > ends[1]) {
            return Err(OffsetsError::Decreasing { row });
        }
        let got = offsets.last().copied().unwrap_or_default();
        match got == values.len() {
            true => Ok(Self { values, offsets }),
            false => Err(OffsetsError::Last {
                expected: values.len(),
                got,
            }),
        }
    }

    /// As [`new`](Self::new), for offsets that have been checked.
    #[doc(hidden)]
    #[expect(clippy::needless_pass_by_value, reason = "views are passed by value")]
    pub fn of_checked(values: ArrayView1<'a, T>, offsets: &'a [usize]) -> Self {
        Self { values, offsets }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows, in order.
    pub fn rows(&self) -> RaggedRows<'a, T> {
        RaggedRows {
            values: self.values,
            ends: self.offsets.windows(2),
        }
    }

    /// Returns one row.
    ///
    /// # Panics
    ///
    /// Panics if there is no row with this index.
    pub fn row(&self, row: usize) -> ArrayView1<'a, T> {
        slice_row(&self.values, &self.offsets[row..row + 2])
    }

    /// Returns the lengths of the rows, in order.
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = usize> + use<'a, T> {
        self.offsets.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// Returns the values of all rows.
    pub fn values(&self) -> ArrayView1<'a, T> {
        self.values
    }

    /// Returns the offsets of the rows in the values: 0, followed by the end of each row.
    pub fn offsets(&self) -> &'a [usize] {
        self.offsets
    }
}

fn slice_row<'a, T>(values: &ArrayView1<'a, T>, ends: &[usize]) -> ArrayView1<'a, T> {
    (*values).slice_move(s![ends[0]..ends[1]])
}

impl<T> Clone for Ragged<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ragged<'_, T> {}

impl<'a, T> IntoIterator for Ragged<'a, T> {
    type Item = ArrayView1<'a, T>;
    type IntoIter = RaggedRows<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows()
    }
}

impl<'a, T> IntoIterator for &Ragged<'a, T> {
    type Item = ArrayView1<'a, T>;
    type IntoIter = RaggedRows<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows()
    }
}

/// The rows of a [`Ragged`], in order.
#[derive(Debug)]
pub struct RaggedRows<'a, T> {
    values: ArrayView1<'a, T>,
    ends: Windows<'a, usize>,
}

impl<'a, T> Iterator for RaggedRows<'a, T> {
    type Item = ArrayView1<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        let ends = self.ends.next()?;
        Some(slice_row(&self.values, ends))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ends.size_hint()
    }
}

impl<T> DoubleEndedIterator for RaggedRows<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let ends = self.ends.next_back()?;
        Some(slice_row(&self.values, ends))
    }
}

impl<T> ExactSizeIterator for RaggedRows<'_, T> {}

impl<T> FusedIterator for RaggedRows<'_, T> {}

impl<T> Clone for RaggedRows<'_, T> {
    fn clone(&self) -> Self {
        Self {
            values: self.values,
            ends: self.ends.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array1;

    use super::*;

    #[test]
    fn rows_are_the_values_between_the_offsets() {
        let table: [(&[usize], &[&[i64]]); 6] = [
            (&[0], &[]),
            (&[0, 0], &[&[]]),
            (&[0, 3], &[&[0, 1, 2]]),
            (&[0, 1, 3], &[&[0], &[1, 2]]),
            (&[0, 0, 2, 2, 5], &[&[], &[0, 1], &[], &[2, 3, 4]]),
            (&[0, 2, 2], &[&[0, 1], &[]]),
        ];
        for (offsets, expected) in table {
            let count = offsets.last().copied().unwrap_or_default();
            let values: Array1<i64> = (0..).take(count).collect();
            let ragged = Ragged::new(values.view(), offsets).unwrap();
            let rows: Vec<Vec<i64>> = ragged.into_iter().map(|row| row.to_vec()).collect();
            assert_eq!(rows, expected);
            assert_eq!(ragged.len(), expected.len());
            assert_eq!(ragged.is_empty(), expected.is_empty());
            assert!(ragged.lengths().eq(expected.iter().map(|row| row.len())));
            let reversed = ragged.rows().rev().map(|row| row.to_vec());
            assert!(reversed.eq(expected.iter().rev().map(|row| row.to_vec())));
            for (index, row) in expected.iter().enumerate() {
                assert_eq!(ragged.row(index).to_vec(), *row);
            }
            assert_eq!(ragged, Ragged::of_checked(values.view(), offsets));
        }
    }

    #[test]
    fn offsets_that_do_not_divide_the_values_are_refused() {
        let values: Array1<u8> = Array1::zeros(3);
        let last = |got| OffsetsError::Last { expected: 3, got };
        let table: [(&[usize], OffsetsError); 6] = [
            (&[], OffsetsError::First),
            (&[1, 3], OffsetsError::First),
            (&[0], last(0)),
            (&[0, 2], last(2)),
            (&[0, 4], last(4)),
            (&[0, 2, 1, 3], OffsetsError::Decreasing { row: 1 }),
        ];
        for (offsets, expected) in table {
            let refused = Ragged::new(values.view(), offsets).unwrap_err();
            assert_eq!(refused, expected, "{offsets:?}");
        }
    }
}
