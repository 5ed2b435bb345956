use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use tracing::Span;

use crate::memory_budget::MemoryBudget;
use crate::model::ModelSpec;
use crate::request::{Parameters, Request};

use super::blocking::block_on;
use super::hearers::Hearers;
use super::open::Opened;
use super::returned::answers;
use super::{Call, Cancelled, Health, ModelError, Outputs, Returned, WithParameters};

/// Where a function puts the answers to a request, any number of them, while it runs.
///
/// A function that takes `&Responses<O>` answers all requests of its call with each `O`; with `#[batch]` its rows are those of
/// the batch. One that takes the requests as they are (`&[Request]`) takes a `Vec<Responses<O>>` beside them, one for each
/// request, in whatever order they are used, also on other threads and tasks and after the function has returned. One that is
/// dropped there, or that says [`end`](Self::end), has answered its request; the others have when the function returns well.
///
/// There is room for 16 answers that the client has not taken, or 32 KiB of smaller ones: a client that reads slowly slows its function. tritonserver takes
/// all answers itself, whether its clients read or not; there the function waits for tritonserver alone.
///
/// # Examples
///
/// ```no_run
/// use pytriton_runtime::call::{Cancelled, Responses};
/// use ndarray::Array2;
///
/// fn count(up_to: i32, responses: &Responses<Array2<i32>>) -> Result<(), Cancelled> {
///     (0..up_to).try_for_each(|number| responses.blocking_send(Array2::from_elem((1, 1), number)))
/// }
/// ```
pub struct Responses<O> {
    hearers: Hearers,
    model: Arc<ModelSpec>,
    requests: Vec<Request>,
    /// The thread of the call, where it ends its only request itself.
    ends: Option<ThreadId>,
    /// What keeps the call open; a sender that is lent lives no longer than the call.
    _open: Option<Opened>,
    logger: Span,
    health: Health,
    /// Where the memory of what is sent is reserved.
    budget: Option<Arc<MemoryBudget>>,
    outputs: PhantomData<fn(O)>,
}

impl<O: Outputs> Responses<O> {
    /// For all requests of a call; `None` where the answers go nowhere.
    pub(super) fn of(call: &Call<'_>) -> Option<Self> {
        let destination = call.destination.as_ref()?;
        Some(Self {
            hearers: destination.hearers.clone(),
            model: Arc::clone(call.requests.first()?.model()),
            requests: call.requests.to_vec(),
            ends: None,
            _open: None,
            logger: call.context.logger().clone(),
            health: call.context.health().clone(),
            budget: call.context.budget().cloned(),
            outputs: PhantomData,
        })
    }

    /// For each request of a call by itself.
    pub(super) fn each(call: &Call<'_>) -> Vec<Self> {
        let Some(destination) = &call.destination else {
            return Vec::new();
        };
        let requests = call.requests.iter().enumerate();
        requests
            .map(|(index, request)| Self {
                hearers: destination.hearers.only(index),
                model: Arc::clone(request.model()),
                requests: vec![request.clone()],
                ends: Some(thread::current().id()),
                _open: Some(destination.open.enter()),
                logger: call.context.logger().clone(),
                health: call.context.health().clone(),
                budget: call.context.budget().cloned(),
                outputs: PhantomData,
            })
            .collect()
    }

    /// Answers once there is room for it.
    ///
    /// # Errors
    ///
    /// [`Cancelled`]: nobody waits for further answers. So it is after outputs that do not fit the model, with which the
    /// requests fail, and after an `Err`, where `O` is a `Result`.
    pub async fn send(&self, outputs: O) -> Result<(), Cancelled> {
        self.send_with(outputs, Parameters::default()).await
    }

    /// The same on a thread that may wait.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn blocking_send(&self, outputs: O) -> Result<(), Cancelled> {
        block_on(self.send(outputs))
    }

    /// Answers with what else is to be said beside the outputs.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_with(&self, outputs: O, parameters: Parameters) -> Result<(), Cancelled> {
        let said = WithParameters {
            outputs,
            parameters,
        };
        let said = said.into_said(&self.model);
        let answers = said.and_then(|said| {
            let budget = self.budget.as_ref();
            answers(&self.model, &self.requests, Returned::Call(said), budget)
        });
        match answers {
            Ok(answers) => self.hearers.give(answers).await,
            Err(error) => {
                tracing::warn!(parent: &self.logger, %error, "answer failed");
                self.health.note(&error, self.model.unrecoverable_panics);
                self.hearers.finish(&Err(error));
                Err(Cancelled)
            }
        }
    }

    /// Ends the requests now, where dropping this would end them when the function returns.
    pub fn end(self) {
        self.hearers.finish(&Ok(()));
    }

    /// Whether nobody waits for the answers any longer: the client has gone, its time is over, or the server ends.
    pub fn is_cancelled(&self) -> bool {
        self.hearers.are_gone()
    }
}

impl<O> Drop for Responses<O> {
    fn drop(&mut self) {
        let Some(call) = self.ends else {
            return;
        };
        // On the thread of the call the function may still fail, which ends the request with an error.
        if thread::current().id() == call {
            return;
        }
        let end = match thread::panicking() {
            false => Ok(()),
            true => Err(ModelError::Panic {
                model: Arc::clone(&self.model.name),
                message: "a thread of the function's".to_owned(),
            }),
        };
        if let Err(error) = &end {
            self.health.note(error, self.model.unrecoverable_panics);
        }
        self.hearers.finish(&end);
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
