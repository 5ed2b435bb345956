use crate::model::ModelSpec;
use crate::tensor::{Tensor, TensorError};

use super::{Output, ResponseParts, RowFailure};

/// Converts the outputs of one response, in order.
#[derive(Debug)]
pub struct OutputWriter<'m> {
    model: &'m ModelSpec,
    tensors: Vec<Option<Tensor>>,
    failures: Vec<RowFailure>,
}

impl<'m> OutputWriter<'m> {
    /// Starts with the first output of the model.
    pub fn new(model: &'m ModelSpec) -> Self {
        Self {
            model,
            tensors: Vec::with_capacity(model.outputs.len()),
            failures: Vec::new(),
        }
    }

    /// Converts the next output.
    pub fn write(&mut self, output: impl Output) {
        let mut errors = Vec::new();
        let tensor = output.into_tensor(&mut errors);
        self.write_tensor(tensor, errors);
    }

    /// Adds the next output, with the errors of its rows; `None` omits it.
    pub(crate) fn write_tensor(&mut self, tensor: Option<Tensor>, errors: Vec<TensorError>) {
        if let Some(tensor) = &tensor {
            let failed = RowFailure::collect(self.model, self.tensors.len(), tensor, errors);
            self.failures.extend(failed);
        }
        self.tensors.push(tensor);
    }

    /// Returns the outputs.
    pub fn finish(mut self) -> ResponseParts {
        RowFailure::sort(&mut self.failures);
        ResponseParts {
            tensors: self.tensors.into(),
            failures: self.failures,
            ..ResponseParts::default()
        }
    }
}
