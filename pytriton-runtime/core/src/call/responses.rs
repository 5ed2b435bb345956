use std::fmt;
use std::marker::PhantomData;
use std::slice;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use tracing::Span;

use crate::memory_budget::MemoryBudget;
use crate::model::ModelSpec;
use crate::request::{Parameters, Request};

use super::blocking::block_on;
use super::open_senders::OpenSender;
use super::response_sinks::ResponseSinks;
use super::returned::streamed_responses;
use super::shared_error::SharedError;
use super::{Call, Cancelled, Health, IntoOutputs, ModelError, OutputWriter, WithParameters};

/// Sends any number of responses to a request while the function runs.
///
/// A function that takes `&Responses<O>` responds to all requests of its call with each `O`. With
/// `#[batch]`, the rows of `O` are those of the batch.
///
/// A raw function (with a parameter `&[Request]`) takes a `Vec<Responses<O>>` with one entry for
/// each request. The entries can be used in any order, on other threads and tasks, and after the
/// function has returned. Dropping an entry on another thread, or calling [`end`](Self::end), ends
/// its request. The other requests end when the function returns successfully.
///
/// Up to 16 responses, or 32 KiB of smaller ones, are buffered for the client. A client that reads
/// slowly therefore slows down its function. tritonserver takes all responses immediately, whether
/// or not its clients read them.
///
/// # Examples
///
/// ```no_run
/// use pytriton_core::call::{Cancelled, Responses};
/// use ndarray::Array2;
///
/// fn count(up_to: i32, responses: &Responses<Array2<i32>>) -> Result<(), Cancelled> {
///     (0..up_to).try_for_each(|number| responses.blocking_send(Array2::from_elem((1, 1), number)))
/// }
/// ```
pub struct Responses<O> {
    sinks: ResponseSinks,
    model: Arc<ModelSpec>,
    requests: Vec<Request>,
    /// Keeps the call open. A borrowed sender does not outlive the call.
    open: Option<OpenSender>,
    /// The thread of the call, which reports a panic there itself.
    caller: ThreadId,
    /// Whether the requests end when the sender is dropped on another thread.
    ends: bool,
    logger: Span,
    health: Health,
    /// The budget for the memory of the responses.
    budget: Option<Arc<MemoryBudget>>,
    outputs: PhantomData<fn(O)>,
}

impl<O: IntoOutputs> Responses<O> {
    /// Creates a sender for all requests of a call, which the call borrows. `None` if the model is
    /// not decoupled.
    pub(super) fn of(call: &Call<'_>) -> Option<Self> {
        let destination = call.destination.as_ref()?;
        Self::new(call, call.requests, destination.sinks.clone())
    }

    /// Creates a sender for all requests of a call, which may outlive the function. `None` if the
    /// model is not decoupled.
    pub(crate) fn all(call: &Call<'_>) -> Option<Self> {
        let destination = call.destination.as_ref()?;
        let mut sender = Self::of(call)?;
        // The call ends all its requests: the function may still return an error.
        sender.open = Some(destination.open.enter());
        Some(sender)
    }

    /// Creates a sender for each request of a call, which may outlive the function. `None` if the
    /// model is not decoupled.
    pub(crate) fn each(call: &Call<'_>) -> Option<Vec<Self>> {
        let destination = call.destination.as_ref()?;
        let requests = call.requests.iter().enumerate();
        requests
            .map(|(index, request)| {
                let request = slice::from_ref(request);
                let mut sender = Self::new(call, request, destination.sinks.only(index))?;
                sender.open = Some(destination.open.enter());
                sender.ends = true;
                Some(sender)
            })
            .collect()
    }

    fn new(call: &Call<'_>, requests: &[Request], sinks: ResponseSinks) -> Option<Self> {
        Some(Self {
            sinks,
            model: Arc::clone(requests.first()?.model()),
            requests: requests.to_vec(),
            open: None,
            caller: thread::current().id(),
            ends: false,
            logger: call.context.logger().clone(),
            health: call.context.health().clone(),
            budget: call.context.budget().cloned(),
            outputs: PhantomData,
        })
    }

    /// Sends a response as soon as there is space for it.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`] if no further responses are needed. This is also the case after
    /// outputs that do not match the model, and after an `Err` if `O` is a `Result`. In both cases,
    /// the requests fail. If an element cannot be encoded, only the request of its row fails.
    pub async fn send(&self, outputs: O) -> Result<(), Cancelled> {
        self.send_with(outputs, Parameters::default()).await
    }

    /// Like [`send`](Self::send), but blocks the thread.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn blocking_send(&self, outputs: O) -> Result<(), Cancelled> {
        block_on(self.send(outputs))
    }

    /// Sends a response with response parameters.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_with(&self, outputs: O, parameters: Parameters) -> Result<(), Cancelled> {
        let outputs = WithParameters {
            outputs,
            parameters,
        };
        let writer = OutputWriter::new(&self.model, self.budget.as_ref());
        let results = outputs
            .parts(writer, IntoOutputs::into_parts)
            .and_then(|parts| streamed_responses(&self.model, &self.requests, parts));
        match results {
            Ok(results) => self.sinks.send(results, &self.logger).await,
            Err(error) => {
                tracing::warn!(parent: &self.logger, %error, "response failed");
                self.health
                    .note(&error, self.model.call_options.unrecoverable_panics);
                let error = SharedError::new(&self.model, error, self.requests.len());
                self.sinks.finish(&Err(error.into_inner()));
                Err(Cancelled)
            }
        }
    }

    /// Ends the requests now instead of when the function returns.
    pub fn end(self) {
        self.sinks.finish(&Ok(()));
    }

    /// Returns whether the requests are cancelled: the client disconnected, the request timed out,
    /// or the server is shutting down.
    pub fn is_cancelled(&self) -> bool {
        self.sinks.are_cancelled()
    }
}

impl<O> Drop for Responses<O> {
    fn drop(&mut self) {
        // On the thread of the call, the function may still return an error, which then ends the
        // request.
        if self.open.is_none() || thread::current().id() == self.caller {
            return;
        }
        if thread::panicking() {
            let error = ModelError::Panic {
                model: Arc::clone(&self.model.name),
                message: "a thread of the function's".to_owned(),
            };
            self.health
                .note(&error, self.model.call_options.unrecoverable_panics);
            self.sinks.finish(&Err(error));
        } else if self.ends {
            self.sinks.finish(&Ok(()));
        }
    }
}

impl<O> fmt::Debug for Responses<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responses")
            .field("model", &self.model.name)
            .field("requests", &self.requests.len())
            .finish_non_exhaustive()
    }
}
