use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use pytriton_protocol::typed::Model as CallableModel;

use crate::call::{Call, Cancellation, Context, IntoOutputs, ModelError, Responses};
use crate::model::ModelSpec;
use crate::model_call;
use crate::request::{Request, Sequence};

use super::unit::{PerBatch, PerRequest, Raw, StackedUnit};

/// The argument of a run-time function: the inputs of one call by name, batch axis first if there
/// is one, and its states.
///
/// `U` is the mode of the function: [`PerBatch`], [`PerRequest`] or [`Raw`]. Read the inputs before
/// you move a state out of the call.
///
/// # Examples
///
/// ```
/// use ndarray::{Array2, Ix2};
/// use pytriton_core::error::Error;
/// use pytriton_core::runtime_models::{Function, FunctionCall, PerBatch, PerRequest};
///
/// fn double(call: FunctionCall<'_, PerBatch>) -> Result<Array2<f32>, Error> {
///     Ok(&call.array::<f32, Ix2>("x")? * 2.0)
/// }
///
/// let double = Function::new(PerBatch, double);
/// let summing = Function::new(PerRequest.per_sequence(|_, _| Ok(0.0)), |call| {
///     *call.sequence_state += call.array::<f32, Ix2>("x")?.sum();
///     Ok(Array2::from_elem((1, 1), *call.sequence_state))
/// });
/// ```
pub struct FunctionCall<'a, U, S = (), Q = ()> {
    /// The state of the instance: `&mut` for a function, `&` for an `async` function.
    pub state: S,
    /// The state of the request's sequence (`&mut`), or a `Vec` with the state of each request's.
    pub sequence_state: Q,
    pub(super) call: &'a Call<'a>,
    /// Whether the function sends its responses.
    sends: bool,
    unit: PhantomData<fn() -> U>,
}

impl<'a, U, S, Q> FunctionCall<'a, U, S, Q> {
    pub(super) fn new(call: &'a Call<'a>, sends: bool, state: S, sequence_state: Q) -> Self {
        Self {
            state,
            sequence_state,
            call,
            sends,
            unit: PhantomData,
        }
    }

    /// Returns the requests of the call, before any step. With `response_cache`, they have no
    /// parameters.
    pub fn requests(&self) -> &'a [Request] {
        self.call.requests()
    }

    /// Returns the handle to call another model. Such calls inherit the priority, the queue
    /// timeout, the cancellation, the trace and, if the model was declared with
    /// [`Model::by_identity`](super::Model::by_identity), the client of the requests of this call.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the model was not declared with
    /// [`Model::calls`](super::Model::calls).
    pub fn callee<M: CallableModel>(&self) -> Result<model_call::Call<M>, ModelError> {
        let call = model_call::Call::of_function(self.call);
        let mut callees = self.model().callees.iter();
        match callees.any(|callee| callee.name == call.model()) {
            true => Ok(call),
            false => Err(ModelError::UndeclaredCall {
                model: Arc::clone(&self.model().name),
                callee: call.model().to_owned(),
            }),
        }
    }

    /// Returns the context of the call: model configuration, instance and logger.
    pub fn context(&self) -> &'a Context {
        self.call.context()
    }

    /// Returns a handle that reports whether clients still wait for the call. It can be cloned and
    /// sent to other threads.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the model was not declared with
    /// [`Model::cancellable`](super::Model::cancellable) and has one response per request.
    pub fn cancellation(&self) -> Result<Cancellation, ModelError> {
        let model = self.model();
        match model.cancellable || model.decoupled {
            true => Ok(self.call.cancellation()),
            false => Err(ModelError::Cancellation {
                model: Arc::clone(&model.name),
            }),
        }
    }

    pub(super) fn model(&self) -> &'a ModelSpec {
        self.call.context().model()
    }

    fn no_sequences(&self) -> ModelError {
        ModelError::NoSequences {
            model: Arc::clone(&self.model().name),
        }
    }

    /// Other calls may have a destination too, but respond with what the function returns.
    fn senders<T>(&self, senders: Option<T>) -> Result<T, ModelError> {
        let senders = senders.filter(|_| self.sends);
        senders.ok_or_else(|| ModelError::NoResponses {
            model: Arc::clone(&self.model().name),
        })
    }
}

impl<U: StackedUnit, S, Q> FunctionCall<'_, U, S, Q> {
    /// Returns the sender of the responses, each for all requests of the call. The function returns
    /// `Ok(())`. The requests end when the function has returned and the sender is dropped.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the function does not return `Ok(())`.
    ///
    /// # Examples
    ///
    /// ```
    /// use ndarray::Ix2;
    /// use pytriton_core::runtime_models::{Function, PerBatch};
    ///
    /// let countdown = Function::new(PerBatch, |call| {
    ///     let x = call.array::<f32, Ix2>("x")?;
    ///     let responses = call.responses()?;
    ///     for step in 0..3 {
    ///         responses.blocking_send(&x - step as f32)?;
    ///     }
    ///     Ok(())
    /// });
    /// ```
    pub fn responses<O: IntoOutputs>(&self) -> Result<Responses<O>, ModelError> {
        self.senders(Responses::all(self.call))
    }
}

impl<'a, S, Q> FunctionCall<'a, PerRequest, S, Q> {
    /// Returns the sequence of the request.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the model has no
    /// [`sequence_batching`](super::Model::sequence_batching).
    pub fn sequence(&self) -> Result<&'a Sequence, ModelError> {
        let sequence = self.requests().first().and_then(Request::sequence);
        sequence.ok_or_else(|| self.no_sequences())
    }
}

impl<'a, S, Q> FunctionCall<'a, PerBatch, S, Q> {
    /// Returns the sequence of each request, before any step.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the model has no
    /// [`sequence_batching`](super::Model::sequence_batching).
    pub fn sequences(&self) -> Result<Vec<&'a Sequence>, ModelError> {
        let sequences = self.requests().iter().map(Request::sequence);
        let sequences: Option<Vec<_>> = sequences.collect();
        sequences.ok_or_else(|| self.no_sequences())
    }
}

impl<S, Q> FunctionCall<'_, Raw, S, Q> {
    /// Returns the sender of the responses of each request. The function returns `Ok(())`. A
    /// request ends when its sender is dropped on another thread, or with the call.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the function does not return `Ok(())`.
    pub fn responses<O: IntoOutputs>(&self) -> Result<Vec<Responses<O>>, ModelError> {
        self.senders(Responses::each(self.call))
    }
}

impl<U, S, Q> fmt::Debug for FunctionCall<'_, U, S, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionCall")
            .field("call", self.call)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "function_call_tests.rs"]
mod tests;
