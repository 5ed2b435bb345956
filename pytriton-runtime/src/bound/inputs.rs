use std::sync::Arc;

use ndarray::{CowArray, Dimension};

use crate::call::{Call, Context, ModelError};
use crate::decorators::StepError;
use crate::model::ModelSpec;
use crate::request::{Parameters, Request};
use crate::tensor::{Element, Tensor, TensorError};

/// What one call of a function is given: the tensors of its inputs, by name, batch axis first where there is one.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    call: &'a Call<'a>,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(call: &'a Call<'a>) -> Self {
        Self { call }
    }

    /// The array of an input.
    ///
    /// # Errors
    ///
    /// A [`ModelError`] when the model has no such input, when it was left out, or when it has another element type or rank.
    pub fn array<T: Element, D: Dimension>(
        &self,
        name: &str,
    ) -> Result<CowArray<'a, T, D>, ModelError> {
        let array = self.call.array(self.index(name)?);
        array.map_err(of_the_function)
    }

    /// The array of an input that a request may leave out.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array), but for the input that was left out.
    pub fn optional_array<T: Element, D: Dimension>(
        &self,
        name: &str,
    ) -> Result<Option<CowArray<'a, T, D>>, ModelError> {
        let array = self.call.optional_array(self.index(name)?);
        array.map_err(of_the_function)
    }

    /// The only element of an input, such as one of [`first_value`](super::Input::first_value).
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array), or when there is not exactly one element.
    pub fn scalar<T: Element>(&self, name: &str) -> Result<T, ModelError> {
        let scalar = self.call.scalar(self.index(name)?);
        scalar.map_err(of_the_function)
    }

    /// The only element of an input that a request may leave out.
    ///
    /// # Errors
    ///
    /// As [`scalar`](Self::scalar), but for the input that was left out.
    pub fn optional_scalar<T: Element>(&self, name: &str) -> Result<Option<T>, ModelError> {
        let scalar = self.call.optional_scalar(self.index(name)?);
        scalar.map_err(of_the_function)
    }

    /// The tensor of an input, whatever its element type is; `None` when it was left out.
    ///
    /// # Errors
    ///
    /// A [`ModelError`] when the model has no such input.
    pub fn tensor(&self, name: &str) -> Result<Option<&'a Tensor>, ModelError> {
        let index = self.index(name)?;
        Ok(self.call.inputs().get(index).and_then(Option::as_ref))
    }

    /// The tensors that are there with their names, in the order of the model's inputs.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a Tensor)> + use<'a> {
        let inputs = self.model().inputs.iter().zip(self.call.inputs());
        inputs.filter_map(|(spec, tensor)| Some((&*spec.name, tensor.as_ref()?)))
    }

    /// The parameters and forwarded headers that all requests of the call share.
    ///
    /// # Errors
    ///
    /// A [`ModelError`] when requests of different parameters may be in one call: see
    /// [`Model::by_parameters`](super::Model::by_parameters).
    pub fn parameters(&self) -> Result<&'a Parameters, ModelError> {
        let model = self.model();
        match model.by_parameters {
            true => Ok(self.call.parameters()),
            false => Err(ModelError::Parameters {
                model: Arc::clone(&model.name),
            }),
        }
    }

    /// The requests of the call as they came, before any step.
    pub fn requests(&self) -> &'a [Request] {
        self.call.requests()
    }

    /// Where the call runs: the model's configuration, the instance, its logger.
    pub fn context(&self) -> &'a Context {
        self.call.context()
    }

    fn model(&self) -> &'a ModelSpec {
        self.call.context().model()
    }

    fn index(&self, name: &str) -> Result<usize, ModelError> {
        let model = self.model();
        let index = model.input_index(name);
        index.ok_or_else(|| {
            ModelError::from(StepError::NoInput {
                model: Arc::clone(&model.name),
                input: name.to_owned(),
            })
        })
    }
}

/// Requests fit the model: whoever asks for other elements, another rank, or what may be left out, is the function.
fn of_the_function(error: ModelError) -> ModelError {
    match error {
        ModelError::Input {
            model,
            input,
            source:
                source
                @ (TensorError::DataType { .. } | TensorError::Rank { .. } | TensorError::Missing),
        } => ModelError::Asked {
            model,
            input,
            source,
        },
        other => other,
    }
}
