use crate::tensor::Tensor;

use super::ModelError;

/// The rows of a batch that were answered together.
#[derive(Debug)]
pub struct Part {
    /// Which rows of the batch these are, in the order of the outputs' rows.
    pub rows: Vec<usize>,
    /// One tensor for each output.
    pub outputs: Result<Vec<Tensor>, ModelError>,
}

impl Part {
    /// All rows of a batch of so many.
    pub(super) fn whole(rows: usize, outputs: Result<Vec<Tensor>, ModelError>) -> Self {
        Self {
            rows: (0..rows).collect(),
            outputs,
        }
    }

    /// The same rows in the batch of which `group` are the rows.
    pub(super) fn of(self, group: &[usize]) -> Self {
        Self {
            rows: self.rows.iter().map(|&row| group[row]).collect(),
            outputs: self.outputs,
        }
    }

    /// Whether its rows stand as they did in the batch.
    pub(super) fn is_in_order(&self) -> bool {
        self.rows.is_sorted()
    }

    /// Changes the outputs, where there are some.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(usize, &mut [Tensor]) -> Result<(), ModelError>,
    ) {
        if let Ok(outputs) = &mut self.outputs
            && let Err(error) = change(self.rows.len(), outputs)
        {
            self.outputs = Err(error);
        }
    }
}
