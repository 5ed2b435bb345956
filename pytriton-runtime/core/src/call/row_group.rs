use crate::request::Parameters;
use crate::tracked_tensor::TrackedTensor;

use super::{ModelError, ResponseParts, RowFailure};

/// A group of rows with common outputs.
#[derive(Debug)]
pub struct RowGroup {
    /// The indexes of the rows in the batch, in the order of the output rows.
    pub rows: Vec<usize>,
    /// The tensor of each output; `None` if it is omitted.
    pub outputs: Result<Vec<Option<TrackedTensor>>, ModelError>,
    /// The response parameters.
    pub parameters: Parameters,
    /// The rows of the outputs that cannot be sent.
    pub failures: Vec<RowFailure>,
}

impl RowGroup {
    /// Creates the group with all rows of a batch.
    pub(super) fn all(rows: usize, parts: Result<ResponseParts, ModelError>) -> Self {
        let rows = (0..rows).collect();
        match parts {
            Ok(parts) => Self {
                rows,
                outputs: Ok(parts.tensors.into()),
                parameters: parts.parameters,
                failures: parts.failures,
            },
            Err(error) => Self::failed(rows, error),
        }
    }

    /// Creates a group of rows without outputs.
    pub(super) fn failed(rows: Vec<usize>, error: ModelError) -> Self {
        Self {
            rows,
            outputs: Err(error),
            parameters: Parameters::default(),
            failures: Vec::new(),
        }
    }

    /// Returns the outputs and parameters of all rows.
    pub(super) fn into_parts(self) -> Result<ResponseParts, ModelError> {
        let Self {
            outputs,
            parameters,
            failures,
            ..
        } = self;
        outputs.map(|tensors| ResponseParts {
            tensors: tensors.into(),
            parameters,
            failures,
        })
    }

    /// Maps row indexes from a group to the batch that contains the group.
    pub(super) fn of(self, group: &[usize]) -> Self {
        Self {
            rows: self.rows.iter().map(|&row| group[row]).collect(),
            ..self
        }
    }

    /// Returns whether the rows are in the order of the batch.
    pub(super) fn is_in_order(&self) -> bool {
        self.rows.is_sorted()
    }

    /// Changes the outputs, if there are any.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(usize, &mut [Option<TrackedTensor>]) -> Result<(), ModelError>,
    ) {
        if let Ok(outputs) = &mut self.outputs
            && let Err(error) = change(self.rows.len(), outputs)
        {
            self.outputs = Err(error);
        }
    }
}
