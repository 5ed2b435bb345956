use std::fmt;
use std::sync::Arc;

use crate::call::{self, IntoOutputs, ModelError, OutputWriter, ResponseParts, WithParameters};
use crate::tensor::Tensor;

/// Outputs by name.
///
/// # Examples
///
/// ```
/// use ndarray::array;
/// use pytriton_core::runtime_models::Named;
///
/// let outputs = Named::new()
///     .with("sum", array![[3.0_f32]])
///     .with("difference", array![[1.0_f32]]);
/// ```
#[derive(Default)]
pub struct Named {
    outputs: Vec<(String, WriteOutput)>,
}

/// Writes an output when its memory can be reserved.
type WriteOutput = Box<dyn FnOnce(&mut OutputWriter<'_>) + Send>;

impl Named {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an output; `None` omits it. The elements are encoded after the function has returned.
    pub fn with(self, name: impl Into<String>, array: impl call::Output) -> Self {
        self.with_written(name, move |writer| writer.write(array))
    }

    /// Adds an output as a tensor, whose element type may be determined at run time.
    pub fn with_tensor(self, name: impl Into<String>, tensor: Tensor) -> Self {
        self.with_written(name, move |writer| writer.tensor(tensor))
    }

    fn with_written(
        mut self,
        name: impl Into<String>,
        write: impl FnOnce(&mut OutputWriter<'_>) + Send + 'static,
    ) -> Self {
        self.outputs.push((name.into(), Box::new(write)));
        self
    }
}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.outputs.iter().map(|(name, _)| name);
        f.debug_set().entries(names).finish()
    }
}

impl IntoOutputs for Named {
    fn into_parts(mut self, mut writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        let model = writer.model();
        for output in &model.outputs {
            let at = self
                .outputs
                .iter()
                .position(|(name, ..)| **name == *output.name);
            let Some(at) = at else {
                if output.optional {
                    writer.omit();
                    continue;
                }
                return Err(ModelError::MissingOutput {
                    model: Arc::clone(&model.name),
                    output: Arc::clone(&output.name),
                });
            };
            let (_, write) = self.outputs.swap_remove(at);
            write(&mut writer);
        }
        match self.outputs.pop() {
            None => writer.finish(),
            Some((output, ..)) => Err(ModelError::UnknownOutput {
                model: Arc::clone(&model.name),
                output: output.into(),
            }),
        }
    }
}

impl IntoOutputs for WithParameters<Named> {
    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        self.parts(writer, IntoOutputs::into_parts)
    }
}
