use crate::request::Parameters;
use crate::tensor::Tensor;

use super::{ModelError, Said};

/// The rows of a batch that were answered together.
#[derive(Debug)]
pub struct Part {
    /// Which rows of the batch these are, in the order of the outputs' rows.
    pub rows: Vec<usize>,
    /// One tensor for each output.
    pub outputs: Result<Vec<Tensor>, ModelError>,
    /// What was said beside them.
    pub parameters: Parameters,
}

impl Part {
    /// All rows of a batch of so many.
    pub(super) fn whole(rows: usize, said: Result<Said, ModelError>) -> Self {
        let (outputs, parameters) = match said {
            Ok(said) => (Ok(said.tensors.into()), said.parameters),
            Err(error) => (Err(error), Parameters::default()),
        };
        Self {
            rows: (0..rows).collect(),
            outputs,
            parameters,
        }
    }

    /// What was said of all its rows.
    pub(super) fn into_said(self) -> Result<Said, ModelError> {
        let Self {
            outputs,
            parameters,
            ..
        } = self;
        outputs.map(|tensors| Said {
            tensors: tensors.into(),
            parameters,
        })
    }

    /// The same rows in the batch of which `group` are the rows.
    pub(super) fn of(self, group: &[usize]) -> Self {
        Self {
            rows: self.rows.iter().map(|&row| group[row]).collect(),
            ..self
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
