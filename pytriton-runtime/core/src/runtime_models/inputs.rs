use std::sync::Arc;

use ndarray::{CowArray, Dimension};

use crate::call::ModelError;
use crate::decorators::StepError;
use crate::request::{Identity, InputError, Parameters};
use crate::tensor::{Element, Ragged, Tensor, TensorError};

use super::FunctionCall;
use super::unit::StackedUnit;

/// The inputs of a batch, or of one request.
impl<'a, U: StackedUnit, S, Q> FunctionCall<'a, U, S, Q> {
    /// Returns an input as an array.
    ///
    /// The array is a view of the input if its elements are numbers at an aligned address.
    /// Otherwise the input is decoded, and the memory stays reserved until the function returns,
    /// even if the array is dropped earlier. Read such an input once, and not in a loop.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the input does not exist, is omitted, is
    /// [ragged](super::Input::ragged), or has another element type or rank.
    pub fn array<T: Element, D: Dimension>(
        &self,
        name: &str,
    ) -> Result<CowArray<'a, T, D>, ModelError> {
        let array = self.call.array(self.index_of(name, false)?);
        array.map_err(of_the_function)
    }

    /// Returns an optional input as an array.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array), except for an omitted input.
    pub fn optional_array<T: Element, D: Dimension>(
        &self,
        name: &str,
    ) -> Result<Option<CowArray<'a, T, D>>, ModelError> {
        let array = self.call.optional_array(self.index_of(name, false)?);
        array.map_err(of_the_function)
    }

    /// Returns a [ragged](super::Input::ragged) input.
    ///
    /// If its elements are not numbers at an aligned address, the input is decoded, and the elements
    /// stay in memory until the function returns. Read such an input once, and not in a loop.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array), but if the input is not ragged.
    pub fn ragged<T: Element>(&self, name: &str) -> Result<Ragged<'a, T>, ModelError> {
        let ragged = self.call.ragged(self.index_of(name, true)?);
        ragged.map_err(of_the_function)
    }

    /// Returns an optional [ragged](super::Input::ragged) input.
    ///
    /// As with [`ragged`](Self::ragged), an input may be decoded. Read such an input once, and not in
    /// a loop.
    ///
    /// # Errors
    ///
    /// As [`ragged`](Self::ragged), except for an omitted input.
    pub fn optional_ragged<T: Element>(
        &self,
        name: &str,
    ) -> Result<Option<Ragged<'a, T>>, ModelError> {
        let ragged = self.call.optional_ragged(self.index_of(name, true)?);
        ragged.map_err(of_the_function)
    }

    /// Returns the only element of an input, such as one with
    /// [`first_value`](super::Input::first_value).
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array), and if the input does not have exactly one element.
    pub fn scalar<T: Element>(&self, name: &str) -> Result<T, ModelError> {
        let scalar = self.call.scalar(self.index(name)?);
        scalar.map_err(of_the_function)
    }

    /// Returns the only element of an optional input.
    ///
    /// # Errors
    ///
    /// As [`scalar`](Self::scalar), except for an omitted input.
    pub fn optional_scalar<T: Element>(&self, name: &str) -> Result<Option<T>, ModelError> {
        let scalar = self.call.optional_scalar(self.index(name)?);
        scalar.map_err(of_the_function)
    }

    /// Returns the tensor of an input, or `None` if it is omitted. That of a ragged input has one
    /// dimension with the values of all rows.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the input does not exist.
    pub fn tensor(&self, name: &str) -> Result<Option<&'a Tensor>, ModelError> {
        let index = self.index(name)?;
        Ok(self.call.inputs().get(index).and_then(Option::as_deref))
    }

    /// Returns the names and tensors of the given inputs, in the order of the model.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a Tensor)> + use<'a, U, S, Q> {
        let inputs = self.model().inputs.iter().zip(self.call.inputs());
        inputs.filter_map(|(spec, tensor)| Some((&*spec.name, tensor.as_deref()?)))
    }

    /// Returns the parameters and forwarded headers that all requests of the call share.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if requests with different parameters may be in one call. See
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

    /// Returns the client that all requests of the call share.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the model was not declared with
    /// [`Model::by_identity`](super::Model::by_identity).
    pub fn identity(&self) -> Result<&'a Identity, ModelError> {
        let model = self.model();
        match model.takes_identity {
            true => Ok(self.call.identity()),
            false => Err(ModelError::Identity {
                model: Arc::clone(&model.name),
            }),
        }
    }

    /// Returns the index of an input that is declared as ragged, or as not ragged.
    fn index_of(&self, name: &str, ragged: bool) -> Result<usize, ModelError> {
        let index = self.index(name)?;
        let model = self.model();
        match model.is_ragged(index) == ragged {
            true => Ok(index),
            false => Err(ModelError::WrongMethod {
                model: Arc::clone(&model.name),
                input: Arc::clone(&model.inputs[index].name),
                is_ragged: !ragged,
            }),
        }
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

/// Attributes an error to the function. The request matches the model, so the function has read an
/// input as another type or rank, or an omitted input as a required one.
fn of_the_function(error: ModelError) -> ModelError {
    match error {
        ModelError::Input(InputError::Tensor {
            model,
            input,
            source:
                source
                @ (TensorError::DataType { .. } | TensorError::Rank { .. } | TensorError::Missing),
        }) => ModelError::InputMismatch {
            model,
            input,
            source,
        },
        other => other,
    }
}
