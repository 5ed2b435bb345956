use std::sync::Arc;

use crate::call::{
    self, Call, ModelError, OutputWriter, Outputs, ResponseParts, Returned, model_error,
};
use crate::error::Error;
use crate::model::ModelSpec;
use crate::tensor::{Tensor, TensorError};

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
    /// Returns a [`ModelError`] that names the output.
    fn into_parts(self, model: &ModelSpec) -> Result<ResponseParts, ModelError>;
}

#[diagnostic::do_not_recommend]
impl<O: Outputs> IntoOutputs for O {
    fn into_parts(self, model: &ModelSpec) -> Result<ResponseParts, ModelError> {
        Outputs::into_parts(self, model)
    }
}

impl IntoOutputs for Vec<Tensor> {
    fn into_parts(self, _: &ModelSpec) -> Result<ResponseParts, ModelError> {
        Ok(self.into())
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
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// The name, the tensor, and the errors of rows that cannot be encoded.
    outputs: Vec<(String, Option<Tensor>, Vec<TensorError>)>,
}

impl Named {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an output; `None` omits it.
    pub fn with(mut self, name: impl Into<String>, array: impl call::Output) -> Self {
        let mut errors = Vec::new();
        let tensor = array.into_tensor(&mut errors);
        self.outputs.push((name.into(), tensor, errors));
        self
    }

    /// Adds an output as a tensor, whose element type may be determined at run time.
    pub fn with_tensor(mut self, name: impl Into<String>, tensor: Tensor) -> Self {
        self.outputs.push((name.into(), Some(tensor), Vec::new()));
        self
    }
}

impl IntoOutputs for Named {
    fn into_parts(mut self, model: &ModelSpec) -> Result<ResponseParts, ModelError> {
        let mut writer = OutputWriter::new(model);
        for output in &model.outputs {
            let at = self
                .outputs
                .iter()
                .position(|(name, ..)| **name == *output.name);
            let Some(at) = at else {
                if output.optional {
                    writer.write_tensor(None, Vec::new());
                    continue;
                }
                return Err(ModelError::MissingOutput {
                    model: Arc::clone(&model.name),
                    output: Arc::clone(&output.name),
                });
            };
            let (_, tensor, errors) = self.outputs.swap_remove(at);
            writer.write_tensor(tensor, errors);
        }
        match self.outputs.pop() {
            None => Ok(writer.finish()),
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
    response_parts(call.context().model(), result).map(Returned::Call)
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
        .map(|result| response_parts(model, result));
    Ok(Returned::Each(answers.collect()))
}

/// Converts one response.
fn response_parts(
    model: &ModelSpec,
    result: Result<impl IntoOutputs, Error>,
) -> Result<ResponseParts, ModelError> {
    let result = result.map_err(|error| model_error(model, error))?;
    result.into_parts(model)
}
