use std::ops::Range;
use std::sync::Arc;

use crate::model::ModelSpec;
use crate::request::Request;
use crate::tensor::{Tensor, TensorError, element_count};

use super::ModelError;

/// A row of an output that cannot be sent, because an element of it cannot be encoded.
#[derive(Debug, Clone)]
pub struct RowFailure {
    /// The row of the call; 0 without a batch axis.
    pub(super) row: usize,
    /// The index of the output.
    output: usize,
    /// The number of elements of a row.
    row_elements: usize,
    /// The error. Its element is that of the row.
    source: TensorError,
}

impl RowFailure {
    /// Creates the failures of one output from the first error of each row of axis 0.
    #[inline]
    pub(super) fn collect(
        model: &ModelSpec,
        output: usize,
        tensor: &Tensor,
        errors: Vec<TensorError>,
    ) -> Vec<Self> {
        match errors.is_empty() {
            true => Vec::new(),
            false => Self::of_errors(model, output, tensor, errors),
        }
    }

    fn of_errors(
        model: &ModelSpec,
        output: usize,
        tensor: &Tensor,
        mut errors: Vec<TensorError>,
    ) -> Vec<Self> {
        let row_elements = match model.batching() {
            true => element_count(tensor.shape().get(1..).unwrap_or_default()).unwrap_or(1),
            false => {
                errors.truncate(1);
                usize::MAX
            }
        };
        let failures = errors.into_iter().map(|mut source| {
            let mut row = 0;
            if let Some(index) = source.element_mut() {
                row = *index / row_elements.max(1);
                *index %= row_elements.max(1);
            }
            Self {
                row,
                output,
                row_elements,
                source,
            }
        });
        failures.collect()
    }

    /// Moves the failure to another row.
    pub(super) fn at(self, row: usize) -> Self {
        Self { row, ..self }
    }

    /// Sorts failures by row. Those of one row stay in the order of the outputs.
    pub(super) fn sort(failures: &mut [Self]) {
        failures.sort_by_key(|failure| failure.row);
    }

    /// Checks whether a request with these rows can receive the outputs that it requests. The
    /// failures are sorted.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Output`] for the first row that cannot be sent.
    #[inline]
    pub(super) fn find(
        failures: &[Self],
        request: &Request,
        rows: Range<usize>,
    ) -> Result<(), ModelError> {
        if failures.is_empty() {
            return Ok(());
        }
        let start = failures.partition_point(|failure| failure.row < rows.start);
        let rest = failures.iter().skip(start);
        let mut own = rest.take_while(|failure| failure.row < rows.end);
        match own.find(|failure| request.asks_for(failure.output)) {
            None => Ok(()),
            Some(first) => Err(first.error(request.model(), first.row - rows.start)),
        }
    }

    /// Returns the error for a response in which the row has this index.
    fn error(&self, model: &ModelSpec, row: usize) -> ModelError {
        let mut source = self.source.clone();
        if let Some(index) = source.element_mut() {
            *index += row.saturating_mul(self.row_elements);
        }
        let output = model.outputs.get(self.output);
        ModelError::Output {
            model: Arc::clone(&model.name),
            output: output.map_or_else(Arc::default, |output| Arc::clone(&output.name)),
            source,
        }
    }
}
