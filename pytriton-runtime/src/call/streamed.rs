use std::future::poll_fn;
use std::mem::replace;
use std::pin::pin;
use std::task::Poll;

use futures_util::stream::iter;
use futures_util::{Stream, StreamExt};

use super::blocking::block_on;
use super::returned::answers;
use super::{Answered, Call, Cancelled, FunctionError, ModelError, Returned};

impl Call<'_> {
    /// Answers all requests of the call with what was made of an item, once there is room for it.
    ///
    /// Outer error: the item is none. Inner error: nobody waits for another.
    async fn respond(&self, item: Answered) -> Result<Result<(), Cancelled>, ModelError> {
        let budget = self.context.budget();
        let answers = answers(self.context.model(), self.requests, item?, budget)?;
        Ok(match &self.destination {
            Some(to) => to.hearers.give(answers).await,
            None => Err(Cancelled),
        })
    }
}

/// Answers the requests of a call with what `convert` makes of each item of an iterator, on the thread that asks for them.
///
/// # Errors
///
/// [`ModelError`] for an item that is an error, or does not have the model's outputs.
pub fn iterate<T>(
    call: &Call<'_>,
    items: impl IntoIterator<Item = T>,
    convert: impl Fn(T) -> Answered,
) -> Answered {
    block_on(async {
        for item in items {
            if call.respond(convert(item)).await?.is_err() {
                return Ok(Returned::Streamed);
            }
        }
        Ok(Returned::Streamed)
    })
}

/// The same for a stream, which may wait for its items without holding the thread; it is dropped when nobody waits for them.
///
/// # Errors
///
/// As [`iterate`].
pub async fn flow<T>(
    call: &Call<'_>,
    items: impl Stream<Item = T>,
    convert: impl Fn(T) -> Answered,
) -> Answered {
    let mut items = pin!(items);
    let hearers = call.destination.as_ref().map(|to| &to.hearers);
    let mut next = async || {
        poll_fn(|context| match (items.poll_next_unpin(context), hearers) {
            // Whether anybody waits for an item is heard where it is given.
            (Poll::Pending, Some(hearers)) => hearers.poll_gone(context).map(|()| None),
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

/// So many items of a stream that always has one are passed on before the other batches of its instance have their turn.
const TURN: usize = 32;

/// Lets others have their turn.
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

/// Whether a function has failed that gives its answers itself.
///
/// # Errors
///
/// [`ModelError::Function`] when it returned an error.
pub fn ended(call: &Call<'_>, returned: impl Ended) -> Result<(), ModelError> {
    returned.ended(call)
}

/// What is left of a call whose answers the function has given itself, or gives until it drops the last of its senders; an
/// error is none where nobody waits.
///
/// # Errors
///
/// As [`ended`], whose result it is given.
pub async fn closed(call: &Call<'_>, ended: Result<(), ModelError>) -> Answered {
    if let Some(destination) = &call.destination {
        destination.closed().await;
    }
    match ended {
        Err(error) if !call.cancellation().is_cancelled() => Err(error),
        Err(_) => Ok(Returned::Streamed),
        Ok(()) => Ok(Returned::Streamed),
    }
}

/// What a function returns that takes `Responses`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned by a model that takes `Responses`",
    label = "its answers go there",
    note = "return nothing, or a `Result` of nothing such as `Result<(), String>`"
)]
pub trait Ended {
    /// Whether it has failed.
    ///
    /// # Errors
    ///
    /// [`ModelError::Function`].
    fn ended(self, call: &Call<'_>) -> Result<(), ModelError>;
}

impl Ended for () {
    fn ended(self, _: &Call<'_>) -> Result<(), ModelError> {
        Ok(())
    }
}

impl<E: FunctionError> Ended for Result<(), E> {
    fn ended(self, call: &Call<'_>) -> Result<(), ModelError> {
        self.map_err(|error| call.failed(&error))
    }
}

/// The items of an iterator that an `async` function returned.
pub fn stream_of<I: IntoIterator>(items: I) -> impl Stream<Item = I::Item> {
    iter(items)
}
