use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use ndarray::{CowArray, Dimension};

use crate::model::ModelSpec;
use crate::openai::MessageError;
use crate::request::{Parameters, Request};
use crate::tensor::{Element, Tensor, TensorError, array};
use crate::text::for_client;

use super::hearers::Destination;
use super::outputs::function_error;
use super::states::State;
use super::{Context, EachOutputs, FunctionError, ModelError, Outputs, Returned};

/// What one call of the function sees, after the model's steps.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) context: &'a Context,
    pub(super) requests: &'a [Request],
    pub(super) parameters: &'a Parameters,
    /// In the order of the model's inputs; empty for a raw call.
    pub(super) inputs: Cow<'a, [Option<Tensor>]>,
    /// Those of its requests' sequences, in their order, where the function takes any.
    pub(super) states: Option<&'a [RefCell<State>]>,
    /// Where the answers of a decoupled model go.
    pub(super) destination: Option<Destination>,
    /// Whether the user's function has been called.
    pub(super) called: &'a Cell<bool>,
}

impl<'a> Call<'a> {
    /// The instance's context.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// The requests of the call as they are.
    pub fn requests(&self) -> &'a [Request] {
        self.requests
    }

    /// The tensors in the order of the model's inputs, `None` for those that were left out; none for a raw call.
    pub fn inputs(&self) -> &[Option<Tensor>] {
        &self.inputs
    }

    /// The parameters that all requests of the call share.
    pub fn parameters(&self) -> &'a Parameters {
        self.parameters
    }

    /// The array of a required input.
    ///
    /// # Errors
    ///
    /// [`ModelError::Input`] when its bytes are no elements of `T`.
    pub fn array<T: Element, D: Dimension>(
        &self,
        input: usize,
    ) -> Result<CowArray<'_, T, D>, ModelError> {
        self.optional_array(input)?
            .ok_or_else(|| self.input_error(input, TensorError::Missing))
    }

    /// The array of an input that a request may leave out.
    ///
    /// # Errors
    ///
    /// [`ModelError::Input`] when its bytes are no elements of `T`.
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

    /// The only element of a required input that a step has reduced to one value.
    ///
    /// # Errors
    ///
    /// [`ModelError::Input`] when there is not exactly one element of `T`.
    pub fn scalar<T: Element>(&self, input: usize) -> Result<T, ModelError> {
        self.optional_scalar(input)?
            .ok_or_else(|| self.input_error(input, TensorError::Missing))
    }

    /// The only element of an optional input that a step has reduced to one value.
    ///
    /// # Errors
    ///
    /// [`ModelError::Input`] when there is not exactly one element of `T`.
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

    /// What a function returned for the whole call.
    ///
    /// # Errors
    ///
    /// [`ModelError::Function`] when it returned an error.
    pub fn outputs<O: Outputs>(&self, outputs: O) -> Result<Returned, ModelError> {
        outputs.into_said(self.spec()).map(Returned::Call)
    }

    /// What a raw function returned, one entry for each request.
    ///
    /// # Errors
    ///
    /// [`ModelError::Function`] when it returned an error for all of them.
    pub fn responses<R: EachOutputs>(&self, responses: R) -> Result<Returned, ModelError> {
        responses.into_responses(self.spec()).map(Returned::Each)
    }

    /// What a function returned instead of its answers.
    pub fn failed(&self, error: &impl FunctionError) -> ModelError {
        function_error(self.spec(), error)
    }

    /// Notes that the user's function has been called: from here on nothing of the call may run again.
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

    /// The error of an element that is no message.
    pub(crate) fn message_error(
        &self,
        input: usize,
        index: usize,
        error: &MessageError,
    ) -> ModelError {
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
