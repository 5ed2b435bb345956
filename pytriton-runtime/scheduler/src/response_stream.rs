use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, Stream};
use pytriton_core::response_channel::{Outcome, ResponseReceiver, SchedulerError};
use pytriton_core::statistics::FailureReason;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};

use super::message::{Enqueued, Ticket};
use super::queue::Queue;

/// The responses to one request, as they are produced. Receiving is cancel safe. Dropping it
/// cancels the request: it leaves the queue, or its function observes the cancellation.
pub struct ResponseStream {
    receiver: ResponseReceiver,
    queue: Arc<Queue>,
    ticket: Ticket,
    /// The queue timeout, while it applies.
    late: Option<Pin<Box<Sleep>>>,
    abandoned: Abandonment,
    over: bool,
}

impl ResponseStream {
    pub(super) fn new(
        queue: &Arc<Queue>,
        enqueued: Enqueued,
        abandoned: watch::Receiver<bool>,
    ) -> Self {
        Self {
            receiver: enqueued.receiver,
            queue: Arc::clone(queue),
            ticket: enqueued.ticket,
            late: enqueued
                .refused
                .map(|time: Instant| Box::pin(sleep_until(time))),
            abandoned: Abandonment::new(abandoned),
            over: false,
        }
    }

    /// Returns whether the last response has been received.
    pub fn is_over(&self) -> bool {
        self.over || self.receiver.is_over()
    }

    fn poll_received(&mut self, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        if self.abandoned.is_so() {
            return self.ended(SchedulerError::Stopping);
        }
        match self.receiver.poll_next(context) {
            Poll::Ready(None) if !self.receiver.is_finished() => {
                return self.ended(SchedulerError::Stopping);
            }
            Poll::Ready(outcome) => return Poll::Ready(outcome),
            Poll::Pending => {}
        }
        if self.abandoned.poll(context).is_ready() {
            return self.ended(SchedulerError::Stopping);
        }
        if let Some(late) = &mut self.late {
            ready!(late.poll_unpin(context));
            self.late = None;
            let waiting = self.queue.withdraw(self.ticket, FailureReason::Rejected);
            // If the request is being executed, its queue timeout no longer applies.
            if waiting {
                return self.ended(SchedulerError::Timeout);
            }
        }
        Poll::Pending
    }

    /// Returns an error as the last response.
    fn ended(&mut self, error: SchedulerError) -> Poll<Option<Outcome>> {
        self.over = true;
        Poll::Ready(Some(Err(error)))
    }
}

impl Stream for ResponseStream {
    type Item = Outcome;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        if self.over {
            return Poll::Ready(None);
        }
        let outcome = ready!(self.poll_received(context));
        self.over |= outcome.is_none();
        Poll::Ready(outcome)
    }
}

impl fmt::Debug for ResponseStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseStream")
            .field("ticket", &self.ticket)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

impl Drop for ResponseStream {
    fn drop(&mut self) {
        // A completed request is no longer in the queue.
        if !self.receiver.is_finished() {
            self.queue.withdraw(self.ticket, FailureReason::Canceled);
        }
    }
}

/// Whether all pending requests have been abandoned.
struct Abandonment {
    receiver: watch::Receiver<bool>,
    /// The registered wait, once someone polls.
    waiting: Option<BoxFuture<'static, ()>>,
}

impl Abandonment {
    fn new(receiver: watch::Receiver<bool>) -> Self {
        Self {
            receiver,
            waiting: None,
        }
    }

    fn is_so(&self) -> bool {
        // Only a change since the request was queued counts.
        self.receiver.has_changed().unwrap_or(true) && *self.receiver.borrow()
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let waiting = self.waiting.get_or_insert_with(|| {
            let mut receiver = self.receiver.clone();
            let abandoned = async move {
                // If the sender is gone, the responses end by themselves.
                if receiver.wait_for(|abandoned| *abandoned).await.is_err() {
                    std::future::pending().await
                }
            };
            abandoned.boxed()
        });
        waiting.poll_unpin(context)
    }
}
