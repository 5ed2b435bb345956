use std::future::poll_fn;
use std::mem::replace;
use std::pin::pin;
use std::task::Poll;

use futures_util::stream::iter;
use futures_util::{Stream, StreamExt};

use crate::error::Error;

use super::blocking::block_on;
use super::returned::streamed_responses;
use super::{Call, CallResult, Cancelled, FunctionError, ModelError, ResponseParts, Returned};

impl Call<'_> {
    /// Sends the converted item to all requests of the call as soon as there is space for it.
    ///
    /// The outer error means that the item is invalid for all requests, the inner one that no
    /// further items are needed. A request whose rows cannot be sent ends with its own error.
    async fn respond(&self, item: CallResult) -> Result<Result<(), Cancelled>, ModelError> {
        let parts = match item? {
            Returned::Call(parts) => parts,
            // An item is the outputs of a call.
            _ => ResponseParts::default(),
        };
        let results = streamed_responses(self.context.model(), self.requests, parts)?;
        Ok(match &self.destination {
            Some(to) => to.sinks.send(results, self.context.logger()).await,
            None => Err(Cancelled),
        })
    }
}

/// Responds to the requests of a call with each item of an iterator, converted by `convert`. The
/// items are computed on the thread that polls the future.
///
/// # Errors
///
/// Returns a [`ModelError`] if an item is an error or does not match the model's outputs.
pub fn iterate<T>(
    call: &Call<'_>,
    items: impl IntoIterator<Item = T>,
    convert: impl Fn(T) -> CallResult,
) -> CallResult {
    block_on(async {
        for item in items {
            if call.respond(convert(item)).await?.is_err() {
                return Ok(Returned::Streamed);
            }
        }
        Ok(Returned::Streamed)
    })
}

/// Like [`iterate`], for a stream, which may wait without blocking the thread. It is dropped when
/// the requests are cancelled.
///
/// # Errors
///
/// As [`iterate`].
pub async fn flow<T>(
    call: &Call<'_>,
    items: impl Stream<Item = T>,
    convert: impl Fn(T) -> CallResult,
) -> CallResult {
    let mut items = pin!(items);
    let sinks = call.destination.as_ref().map(|to| &to.sinks);
    let mut next = async || {
        poll_fn(|context| match (items.poll_next_unpin(context), sinks) {
            // An available item is sent, which also detects cancellation.
            (Poll::Pending, Some(sinks)) => sinks.poll_cancelled(context).map(|()| None),
            (item, _) => item,
        })
        .await
    };
    for number in 1_usize.. {
        let Some(item) = next().await else { break };
        if call.respond(convert(item)).await?.is_err() {
            return Ok(Returned::Streamed);
        }
        if number % TURN == 0 {
            turn().await;
        }
    }
    Ok(Returned::Streamed)
}

/// How many items of an always-ready stream are sent before other batches of its instance run.
const TURN: usize = 32;

/// Yields once.
async fn turn() {
    let mut over = false;
    poll_fn(|context| {
        if replace(&mut over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Checks the return value of a function that sends its responses itself.
///
/// # Errors
///
/// Returns [`ModelError::Function`] if the function returned an error.
pub fn ended<R: Ended>(call: &Call<'_>, returned: Result<R, Error>) -> Result<(), ModelError> {
    call.returned(returned)?.ended(call)
}

/// Completes a call whose function sends its responses itself. Waits until the last sender is
/// dropped. An error is ignored if the requests are cancelled, unless it is fatal.
///
/// # Errors
///
/// Returns the error in `ended`.
pub async fn closed(call: &Call<'_>, ended: Result<(), ModelError>) -> CallResult {
    if let Some(destination) = &call.destination {
        destination.closed().await;
    }
    let panics = call.context.model().call_options.unrecoverable_panics;
    match ended {
        Err(error) if error.is_unrecoverable(panics) || !call.cancellation().is_cancelled() => {
            Err(error)
        }
        Err(_) => Ok(Returned::Streamed),
        Ok(()) => Ok(Returned::Streamed),
    }
}

/// A return type of a function that takes `Responses`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned by a model that takes `Responses`",
    label = "responses are sent through `Responses`",
    note = "return nothing, or a `Result` of nothing such as `Result<(), String>`"
)]
pub trait Ended {
    /// Returns whether the function succeeded.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if it failed.
    fn ended(self, call: &Call<'_>) -> Result<(), ModelError>;
}

impl Ended for () {
    fn ended(self, _: &Call<'_>) -> Result<(), ModelError> {
        Ok(())
    }
}

impl<E: FunctionError> Ended for Result<(), E> {
    fn ended(self, call: &Call<'_>) -> Result<(), ModelError> {
        self.map_err(|error| call.failed(error))
    }
}

/// Returns the items of an iterator from an `async` function as a stream.
pub fn stream_of<I: IntoIterator>(items: I) -> impl Stream<Item = I::Item> {
    iter(items)
}
