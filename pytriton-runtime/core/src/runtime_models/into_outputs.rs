use std::fmt;
use std::sync::Arc;

use crate::call::{
    self, Call, ModelError, OutputWriter, Outputs, ResponseParts, Returned, model_error,
};
use crate::error::Error;
use crate::tensor::Tensor;

/// A return value of a function. These types are accepted:
///
/// - an array, a tuple of arrays or a struct that derives `Outputs`, in the order of the outputs,
/// - a `Vec<Tensor>`, in the same order,
/// - [`Named`] outputs, in any order, which may omit optional ones.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the response of a model",
    label = "not a response",
    note = "return `Ok(…)` of an owned array such as `Array2<f32>`, a tuple of arrays, `Named` outputs, or a `Vec<Tensor>`"
)]
pub trait IntoOutputs {
    /// Converts the value to the tensor of each output, in the order of the model, and response
    /// parameters.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] that names the output, or [`ModelError::Budget`] if its memory
    /// cannot be reserved.
    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError>;
}

#[diagnostic::do_not_recommend]
impl<O: Outputs> IntoOutputs for O {
    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        Outputs::into_parts(self, writer)
    }
}

impl IntoOutputs for Vec<Tensor> {
    fn into_parts(self, mut writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        for tensor in self {
            writer.tensor(tensor);
        }
        writer.finish()
    }
}

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

/// Converts the return value of a function for the whole call.
pub(super) fn call_outputs(
    call: &Call<'_>,
    result: Result<impl IntoOutputs, Error>,
) -> Result<Returned, ModelError> {
    call.note_called();
    response_parts(call, result).map(Returned::Call)
}

/// Returns the iterator or stream of a decoupled function.
pub(super) fn opened<T>(call: &Call<'_>, items: Result<T, Error>) -> Result<T, ModelError> {
    call.note_called();
    items.map_err(|error| model_error(call.context().model(), error))
}

/// Converts the return value of a raw function, which has one entry for each request.
pub(super) fn each<A: IntoOutputs>(
    call: &Call<'_>,
    answers: Result<Vec<Result<A, Error>>, Error>,
) -> Result<Returned, ModelError> {
    call.note_called();
    let model = call.context().model();
    let answers = answers.map_err(|error| model_error(model, error))?;
    let answers = answers
        .into_iter()
        .map(|result| response_parts(call, result));
    Ok(Returned::Each(answers.collect()))
}

/// Converts one response.
fn response_parts(
    call: &Call<'_>,
    result: Result<impl IntoOutputs, Error>,
) -> Result<ResponseParts, ModelError> {
    let result = result.map_err(|error| model_error(call.context().model(), error))?;
    result.into_parts(call.output_writer())
}
