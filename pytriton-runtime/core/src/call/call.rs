use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::sync::Arc;

use ndarray::{Array, ArrayView, CowArray, Dimension};

use crate::decorators::{RowOffsets, decoded_bytes_of};
use crate::error::Error;
use crate::memory_budget::MemoryPermit;
use crate::model::ModelSpec;
use crate::request::{Identity, InputError, Parameters, Request};
use crate::tensor::{
    Element, Ragged, Tensor, TensorError, array, array_view, element_count, shape_text,
};
use crate::text::for_client;
use crate::tracked_tensor::TrackedTensor;

use super::decoded::DecodedInputs;
use super::function_error::{function_error, model_error};
use super::response_sinks::Destination;
use super::sequence_entry::State;
use super::{Context, EachOutputs, FunctionError, ModelError, OutputWriter, Outputs, Returned};

/// The arguments of one function call, after the model's steps.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) context: &'a Context,
    pub(super) requests: &'a [Request],
    pub(super) parameters: &'a Parameters,
    /// The inputs in the order of the model; empty for a raw call.
    pub(super) inputs: Cow<'a, [Option<TrackedTensor>]>,
    /// The rows of each ragged input, and `None` for others. Empty if the model has none.
    pub(super) offsets: Vec<Option<RowOffsets>>,
    /// The states of the sequences, one for each request, if the function takes them.
    pub(super) states: Option<&'a [RefCell<State>]>,
    /// The destination of the responses of a decoupled model.
    pub(super) destination: Option<Destination>,
    /// Whether the user's function has been called.
    pub(super) called: &'a Cell<bool>,
    /// Whether the memory of an argument could not be reserved.
    pub(super) refused: Cell<bool>,
    /// The values of arguments that are borrowed, but are not views of the inputs.
    pub(super) decoded: DecodedInputs,
    /// The memory of arguments that are not views of the inputs.
    pub(super) memory: RefCell<Vec<MemoryPermit>>,
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
    pub fn inputs(&self) -> &[Option<TrackedTensor>] {
        &self.inputs
    }

    /// Returns the parameters that all requests of the call share.
    pub fn parameters(&self) -> &'a Parameters {
        self.parameters
    }

    /// Returns the client that all requests of the call share.
    pub fn identity(&self) -> &'a Identity {
        static ANONYMOUS: Identity = Identity::ANONYMOUS;
        let first = self.requests.first();
        first.map_or(&ANONYMOUS, Request::identity)
    }

    /// Returns a required input as an array.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if its bytes are not valid elements of `T`, or
    /// [`ModelError::Budget`] if it must be decoded and the memory cannot be reserved.
    pub fn array<T: Element, D: Dimension>(
        &self,
        input: usize,
    ) -> Result<CowArray<'_, T, D>, ModelError> {
        self.required(input, self.optional_array(input)?)
    }

    /// Returns an optional input as an array.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array).
    pub fn optional_array<T: Element, D: Dimension>(
        &self,
        input: usize,
    ) -> Result<Option<CowArray<'_, T, D>>, ModelError> {
        self.converted::<T, _>(input, array)
    }

    /// Returns a required input as a view. If it must be decoded, the call keeps the elements.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array).
    pub fn view<T: Element, D: Dimension>(
        &self,
        input: usize,
    ) -> Result<ArrayView<'_, T, D>, ModelError> {
        self.required(input, self.optional_view(input)?)
    }

    /// Returns an optional input as a view. If it must be decoded, the call keeps the elements.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array).
    pub fn optional_view<T: Element, D: Dimension>(
        &self,
        input: usize,
    ) -> Result<Option<ArrayView<'_, T, D>>, ModelError> {
        let keep = |elements| self.decoded.add(elements).map_or(&[][..], Vec::as_slice);
        self.converted::<T, _>(input, |tensor| array_view(tensor, keep))
    }

    /// Returns a required input whose rows may have different lengths.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array).
    pub fn ragged<T: Element>(&self, input: usize) -> Result<Ragged<'_, T>, ModelError> {
        self.required(input, self.optional_ragged(input)?)
    }

    /// Returns an optional input whose rows may have different lengths.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array).
    pub fn optional_ragged<T: Element>(
        &self,
        input: usize,
    ) -> Result<Option<Ragged<'_, T>>, ModelError> {
        let Some(tensor) = self.inputs.get(input).and_then(Option::as_ref) else {
            return Ok(None);
        };
        let Some(offsets) = self.offsets.get(input).and_then(Option::as_ref) else {
            let shape = shape_text(tensor.shape());
            return Err(self.input_error(input, TensorError::Rank { expected: 1, shape }));
        };
        let values = self.optional_view(input)?;
        Ok(values.map(|values| Ragged::of_checked(values, offsets.as_slice())))
    }

    /// Copies an array if it is a view of its input.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Budget`] if the memory cannot be reserved.
    pub fn owned<T: Element, D: Dimension>(
        &self,
        array: CowArray<'_, T, D>,
    ) -> Result<Array<T, D>, ModelError> {
        if array.is_view() {
            self.reserve(array.len().saturating_mul(size_of::<T>()))?;
        }
        Ok(array.into_owned())
    }

    /// Reserves memory that an argument is about to take, until the function has returned.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Budget`] if the memory cannot be reserved.
    pub fn reserve(&self, bytes: usize) -> Result<(), ModelError> {
        if bytes > 0
            && let Some(budget) = self.context.budget()
        {
            let permit = budget.permit(bytes);
            let permit = permit.inspect_err(|_| self.refused.set(true))?;
            self.memory.borrow_mut().push(permit);
        }
        Ok(())
    }

    /// Returns the only element of a required input that a step has reduced to one value.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if the input is not exactly one element of `T`, or
    /// [`ModelError::Budget`] if it must be decoded and the memory cannot be reserved.
    pub fn scalar<T: Element>(&self, input: usize) -> Result<T, ModelError> {
        self.required(input, self.optional_scalar(input)?)
    }

    /// Returns the only element of an optional input that a step has reduced to one value.
    ///
    /// # Errors
    ///
    /// As [`scalar`](Self::scalar).
    pub fn optional_scalar<T: Element>(&self, input: usize) -> Result<Option<T>, ModelError> {
        let Some(tensor) = self.inputs.get(input).and_then(Option::as_ref) else {
            return Ok(None);
        };
        if element_count(tensor.shape()) != Ok(1) {
            let source = TensorError::Rank {
                expected: 0,
                shape: shape_text(tensor.shape()),
            };
            return Err(self.input_error(input, source));
        }
        let elements = self.converted::<T, _>(input, Tensor::elements::<T>)?;
        Ok(elements.and_then(|elements| match elements {
            Cow::Borrowed(elements) => elements.first().cloned(),
            Cow::Owned(mut elements) => elements.pop(),
        }))
    }

    /// Converts the return value of a function for the whole call.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the function returned an error, and
    /// [`ModelError::Budget`] if the memory of an output cannot be reserved.
    pub fn outputs<O: Outputs>(&self, outputs: O) -> Result<Returned, ModelError> {
        outputs.into_parts(self.output_writer()).map(Returned::Call)
    }

    /// Converts the return value of a raw function, which has one entry for each request.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the function returned one error for all requests. If the
    /// memory of an entry cannot be reserved, only that entry is an error.
    pub fn responses<R: EachOutputs>(&self, responses: R) -> Result<Returned, ModelError> {
        let responses = responses.into_responses(self.output_writer());
        responses.map(Returned::Each)
    }

    /// Returns the writer of one response.
    pub(crate) fn output_writer(&self) -> OutputWriter<'a> {
        OutputWriter::of_call(self.spec(), self.context.budget(), self.requests)
    }

    /// Returns the value that the function returned.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the function returned an error.
    pub fn returned<T>(&self, returned: Result<T, Error>) -> Result<T, ModelError> {
        returned.map_err(|error| model_error(self.spec(), error))
    }

    /// Converts an error that the function returned.
    pub fn failed(&self, error: impl FunctionError) -> ModelError {
        function_error(self.spec(), &error)
    }

    /// Returns whether the arguments could not be read, so that the function was not called.
    pub(super) fn is_refused<R>(&self, returned: &Result<R, ModelError>) -> bool {
        match returned {
            Err(ModelError::Input(_)) => true,
            // Outputs are reserved, too.
            Err(ModelError::Budget(_)) => self.refused.get(),
            _ => false,
        }
    }

    /// Records that the user's function has been called. From here on, no part of the call may run
    /// again.
    pub(crate) fn note_called(&self) {
        self.called.set(true);
    }

    /// Converts the tensor of an input, unless the request omits it. The memory of elements that
    /// the conversion decodes is reserved first.
    fn converted<'c, T: Element, A>(
        &'c self,
        input: usize,
        convert: impl FnOnce(&'c Tensor) -> Result<A, TensorError>,
    ) -> Result<Option<A>, ModelError> {
        let Some(tensor) = self.inputs.get(input).and_then(Option::as_ref) else {
            return Ok(None);
        };
        self.reserve(decoded_bytes_of::<T>(tensor))?;
        let converted = convert(tensor).map(Some);
        converted.map_err(|source| self.input_error(input, source))
    }

    /// Returns the argument for an input that a request must not omit.
    fn required<A>(&self, input: usize, argument: Option<A>) -> Result<A, ModelError> {
        argument.ok_or_else(|| self.input_error(input, TensorError::Missing))
    }

    fn spec(&self) -> &'a ModelSpec {
        self.context.model()
    }

    fn input_error(&self, input: usize, source: TensorError) -> ModelError {
        InputError::new(self.spec(), input, source).into()
    }

    /// Returns the error for an element that is not a valid message.
    pub fn message_error(&self, input: usize, index: usize, error: &impl Display) -> ModelError {
        let spec = self.spec();
        let input = spec.inputs.get(input);
        let message = InputError::Message {
            model: Arc::clone(&spec.name),
            input: input.map_or_else(Arc::default, |input| Arc::clone(&input.name)),
            index,
            message: for_client(error),
        };
        message.into()
    }
}
