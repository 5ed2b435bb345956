use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures_util::stream::iter;
use futures_util::{Stream, StreamExt};

use super::answering::Destination;
use super::returned::responses;
use super::{Answered, Call, Cancelled, ModelError, Outputs, Returned};

impl Call<'_> {
    /// Answers all requests of the call with an item, once there is room for it.
    ///
    /// Outer error: the item is none. Inner error: nobody waits for another.
    async fn respond(&self, item: impl Outputs) -> Result<Result<(), Cancelled>, ModelError> {
        let spec = self.context.model();
        let tensors = item.into_tensors(spec)?;
        let answers = responses(spec, self.requests, Returned::Call(tensors));
        let Some(Destination { answering, places }) = &self.destination else {
            return Ok(Err(Cancelled));
        };
        let mut heard = Err(Cancelled);
        for (answer, &place) in answers.into_iter().zip(places) {
            let mut answer = Some(Ok(answer?));
            let part = poll_fn(|context| answering.poll_part(place, &mut answer, context));
            heard = part.await.or(heard);
        }
        Ok(heard)
    }
}

/// Answers the requests of a call with each item of an iterator, on the thread that asks for them.
///
/// # Errors
///
/// [`ModelError`] for an item that is an error, or does not have the model's outputs.
pub fn iterate<O: Outputs>(call: &Call<'_>, items: impl IntoIterator<Item = O>) -> Answered {
    for item in items {
        if block_on(call.respond(item))?.is_err() {
            break;
        }
    }
    Ok(Returned::Streamed)
}

/// The same for a stream, which may wait for its items without holding the thread.
///
/// # Errors
///
/// As [`iterate`].
pub async fn flow<O: Outputs>(call: &Call<'_>, items: impl Stream<Item = O>) -> Answered {
    let mut items = pin!(items);
    while let Some(item) = items.next().await {
        if call.respond(item).await?.is_err() {
            break;
        }
    }
    Ok(Returned::Streamed)
}

/// The items of an iterator that an `async` function returned.
pub fn stream_of<I: IntoIterator>(items: I) -> impl Stream<Item = I::Item> {
    iter(items)
}

/// Waits on the thread of an instance, which may block.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Parked(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::park(),
        }
    }
}

/// A thread that waits.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
