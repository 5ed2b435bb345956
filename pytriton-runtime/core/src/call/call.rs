use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::sync::Arc;

use ndarray::{CowArray, Dimension};

use crate::model::ModelSpec;
use crate::request::{Parameters, Request};
use crate::tensor::{Element, Tensor, TensorError, array};
use crate::text::for_client;

use super::outputs::function_error;
use super::response_sinks::Destination;
use super::states::State;
use super::{Context, EachOutputs, FunctionError, ModelError, Outputs, Returned};

/// The arguments of one function call, after the model's steps.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) context: &'a Context,
    pub(super) requests: &'a [Request],
    pub(super) parameters: &'a Parameters,
    /// The inputs in the order of the model; empty for a raw call.
    pub(super) inputs: Cow<'a, [Option<Tensor>]>,
    /// The states of the sequences, one for each request, if the function takes them.
    pub(super) states: Option<&'a [RefCell<State>]>,
    /// Where a decoupled model sends its responses.
    pub(super) destination: Option<Destination>,
    /// Whether the user's function has been called.
    pub(super) called: &'a Cell<bool>,
}

impl<'a> Call<'a> {
    /// Returns the context of the instance.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// Returns the requests of the call.
    pub fn requests(&self) -> &'a [Request] {
        self.requests
    }

    /// Returns the input tensors in the order of the model, with `None` for omitted ones. Empty for
    /// a raw call.
    pub fn inputs(&self) -> &[Option<Tensor>] {
        &self.inputs
    }

    /// Returns the parameters that all requests of the call share.
    pub fn parameters(&self) -> &'a Parameters {
        self.parameters
    }

    /// Returns a required input as an array.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if its bytes are not valid elements of `T`.
    pub fn array<T: Element, D: Dimension>(
        &self,
        input: usize,
    ) -> Result<CowArray<'_, T, D>, ModelError> {
        self.optional_array(input)?
            .ok_or_else(|| self.input_error(input, TensorError::Missing))
    }

    /// Returns an optional input as an array.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if its bytes are not valid elements of `T`.
    pub fn optional_array<T: Element, D: Dimension>(
        &self,
        input: usize,
    ) -> Result<Option<CowArray<'_, T, D>>, ModelError> {
        let tensor = self.inputs.get(input).and_then(Option::as_ref);
        tensor
            .map(array)
            .transpose()
            .map_err(|source| self.input_error(input, source))
    }

    /// Returns the only element of a required input that a step has reduced to one value.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if the input is not exactly one element of `T`.
    pub fn scalar<T: Element>(&self, input: usize) -> Result<T, ModelError> {
        self.optional_scalar(input)?
            .ok_or_else(|| self.input_error(input, TensorError::Missing))
    }

    /// Returns the only element of an optional input that a step has reduced to one value.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if the input is not exactly one element of `T`.
    pub fn optional_scalar<T: Element>(&self, input: usize) -> Result<Option<T>, ModelError> {
        let Some(tensor) = self.inputs.get(input).and_then(Option::as_ref) else {
            return Ok(None);
        };
        let elements = tensor
            .elements::<T>()
            .map_err(|source| self.input_error(input, source))?;
        match elements.as_ref() {
            [value] => Ok(Some(value.clone())),
            _ => {
                let source = TensorError::Rank {
                    expected: 0,
                    shape: crate::tensor::shape_text(tensor.shape()),
                };
                Err(self.input_error(input, source))
            }
        }
    }

    /// Converts the return value of a function for the whole call.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the function returned an error.
    pub fn outputs<O: Outputs>(&self, outputs: O) -> Result<Returned, ModelError> {
        outputs.into_parts(self.spec()).map(Returned::Call)
    }

    /// Converts the return value of a raw function, which has one entry for each request.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the function returned one error for all requests.
    pub fn responses<R: EachOutputs>(&self, responses: R) -> Result<Returned, ModelError> {
        responses.into_responses(self.spec()).map(Returned::Each)
    }

    /// Converts an error that the function returned.
    pub fn failed(&self, error: &impl FunctionError) -> ModelError {
        function_error(self.spec(), error)
    }

    /// Records that the user's function has been called. From here on, no part of the call may run
    /// again.
    pub(crate) fn note_called(&self) {
        self.called.set(true);
    }

    fn spec(&self) -> &'a ModelSpec {
        self.context.model()
    }

    fn input_error(&self, input: usize, source: TensorError) -> ModelError {
        ModelError::Input {
            model: Arc::clone(&self.spec().name),
            input: self.input_name(input),
            source,
        }
    }

    /// Returns the error for an element that is not a valid message.
    pub fn message_error(&self, input: usize, index: usize, error: &impl Display) -> ModelError {
        ModelError::InputMessage {
            model: Arc::clone(&self.spec().name),
            input: self.input_name(input),
            index,
            message: for_client(error),
        }
    }

    fn input_name(&self, input: usize) -> Arc<str> {
        let input = self.spec().inputs.get(input);
        input.map_or_else(Arc::default, |input| Arc::clone(&input.name))
    }
}
