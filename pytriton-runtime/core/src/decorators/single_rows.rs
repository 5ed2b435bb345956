use std::sync::Arc;

use crate::memory_budget::MemoryBudget;
use crate::tensor::TensorError;
use crate::tracked_tensor::{StackError, TrackedTensor};

use super::RowOffsets;

/// A tensor split into its rows.
#[derive(Debug)]
pub(crate) struct SingleRows {
    rows: Vec<TrackedTensor>,
    /// The tensor without rows.
    none: TrackedTensor,
}

impl SingleRows {
    /// Stacks these rows. The memory of a copy is reserved; a single row is not copied.
    pub(super) fn group(
        &self,
        rows: &[usize],
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<TrackedTensor, StackError> {
        let rows = rows.iter().filter_map(|&row| self.rows.get(row));
        match rows.clone().next() {
            None => Ok(self.none.clone()),
            Some(_) => TrackedTensor::stack(rows, budget),
        }
    }

    pub(crate) fn get(&self, row: usize) -> Option<&TrackedTensor> {
        self.rows.get(row)
    }

    pub(crate) fn none(&self) -> &TrackedTensor {
        &self.none
    }
}

/// Splits a tensor into its rows.
pub(crate) fn single_rows(tensor: &TrackedTensor) -> Result<SingleRows, TensorError> {
    split_into(tensor, &vec![1; tensor.rows()])
}

/// Splits the values of a ragged input into its rows.
pub(super) fn ragged_rows(
    tensor: &TrackedTensor,
    offsets: &RowOffsets,
) -> Result<SingleRows, TensorError> {
    split_into(tensor, &offsets.lengths().collect::<Vec<_>>())
}

fn split_into(tensor: &TrackedTensor, lengths: &[usize]) -> Result<SingleRows, TensorError> {
    Ok(SingleRows {
        rows: tensor.split(lengths)?,
        none: tensor.rows_from(0, 0)?,
    })
}
