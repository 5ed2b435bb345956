use std::sync::Arc;

use crate::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};

/// The rows of a ragged input, whose tensor contains the values of all rows: 0, followed by the end
/// of each row.
#[derive(Debug, Clone)]
pub(crate) struct RowOffsets(Arc<Offsets>);

#[derive(Debug)]
struct Offsets {
    offsets: Vec<usize>,
    _memory: MemoryPermit,
}

impl RowOffsets {
    /// Creates the offsets of `rows` rows of these lengths, and reserves their memory first.
    pub(crate) fn new(
        rows: usize,
        lengths: impl IntoIterator<Item = usize>,
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<Self, MemoryBudgetError> {
        let mut memory = MemoryPermit::within(budget);
        let count = rows.saturating_add(1);
        memory.grow(count.saturating_mul(size_of::<usize>()))?;
        let mut offsets = Vec::with_capacity(count);
        let mut end = 0_usize;
        offsets.push(end);
        offsets.extend(lengths.into_iter().take(rows).map(|length| {
            end = end.saturating_add(length);
            end
        }));
        Ok(Self(Arc::new(Offsets {
            offsets,
            _memory: memory,
        })))
    }

    /// Returns 0, followed by the end of each row.
    pub(crate) fn as_slice(&self) -> &[usize] {
        &self.0.offsets
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.as_slice().len().saturating_sub(1)
    }

    /// Returns the number of values of all rows.
    pub(crate) fn values(&self) -> usize {
        self.as_slice().last().copied().unwrap_or_default()
    }

    /// Returns the length of each row.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> {
        self.as_slice().windows(2).map(|ends| ends[1] - ends[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_the_ends_of_the_rows() {
        let table: [(&[usize], &[usize]); 4] = [
            (&[], &[0]),
            (&[0], &[0, 0]),
            (&[3, 0, 2], &[0, 3, 3, 5]),
            (&[0, 0, 1], &[0, 0, 0, 1]),
        ];
        for (lengths, expected) in table {
            let offsets = RowOffsets::new(lengths.len(), lengths.iter().copied(), None).unwrap();
            assert_eq!(offsets.as_slice(), expected);
            assert_eq!(offsets.rows(), lengths.len());
            assert_eq!(offsets.values(), lengths.iter().sum::<usize>());
            assert!(offsets.lengths().eq(lengths.iter().copied()));
        }
    }

    #[test]
    fn many_offsets_are_reserved_until_the_last_copy_is_dropped() {
        let budget = MemoryBudget::new(16 << 10);
        let rows = 1000;
        let offsets = RowOffsets::new(rows, (0..rows).map(|_| 1), Some(&budget)).unwrap();
        let copy = offsets.clone();
        drop(offsets);
        assert_eq!(budget.reserved(), 8 * (rows + 1));
        drop(copy);
        assert_eq!(budget.reserved(), 0);
        assert!(RowOffsets::new(1 << 20, (0..1 << 20).map(|_| 1), Some(&budget)).is_err());
        assert_eq!(budget.reserved(), 0);
    }
}
