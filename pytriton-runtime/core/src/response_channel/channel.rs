use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::{swap, take};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::call::Cancelled;
use crate::request::Response;

use super::Outcome;

/// The maximum number of responses that wait for the receiver, unless they are small.
const MAX_WAITING: usize = 16;

/// While the waiting responses have at most this many bytes, any number may wait, and the receiver
/// takes all of them at once.
const SMALL_BYTES: usize = 32 << 10;

/// The size of a response without its tensors.
const ENVELOPE_BYTES: usize = 256;

/// Sends any number of responses to one request, until it is finished.
///
/// Dropping it unfinished means that the request was lost.
#[derive(Debug)]
pub struct ResponseSender {
    channel: Arc<Channel>,
    closed: bool,
}

/// Detects whether the receiver of one request still exists.
#[derive(Debug)]
pub struct ReceiverStatus(Arc<Channel>);

/// Receives the responses to one request, in order.
#[derive(Debug)]
pub struct ResponseReceiver {
    channel: Arc<Channel>,
    /// Small responses that were taken together, which freed their space.
    taken: VecDeque<Outcome>,
}

type Channel = Mutex<State>;

#[derive(Debug, Default)]
struct State {
    responses: VecDeque<Outcome>,
    /// The total size of the waiting responses.
    bytes: usize,
    /// The last response.
    last: Option<Outcome>,
    /// The last response while it must not be received yet.
    held: Option<Box<HeldResponse>>,
    /// Whether the sender has finished.
    finished: bool,
    ended: bool,
    receiver_dropped: bool,
    receiver: Option<Waker>,
    /// Senders that wait for space.
    senders: Vec<Waker>,
    /// Tasks that wait until the receiver is dropped.
    watchers: Vec<Waker>,
}

/// A response that waits for those to other requests.
#[derive(Debug)]
struct HeldResponse {
    response: Outcome,
    _counter: Arc<()>,
}

/// Creates a channel for the responses to one request.
#[inline]
pub fn response_channel() -> (ResponseSender, ResponseReceiver) {
    let channel = Arc::new(Channel::default());
    let receiver = ResponseReceiver {
        channel: Arc::clone(&channel),
        taken: VecDeque::new(),
    };
    let sender = ResponseSender {
        channel,
        closed: false,
    };
    (sender, receiver)
}

impl ResponseSender {
    /// Waits until there is space for a response.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`] if the receiver has been dropped.
    pub fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let mut state = self.channel.lock();
        if state.receiver_dropped {
            return Poll::Ready(Err(Cancelled));
        }
        if state.is_full() {
            wait(&mut state.senders, context);
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Sends a response that is not the last one.
    pub fn send(&self, response: Outcome) {
        let mut state = self.channel.lock();
        // The receiver may have been dropped meanwhile.
        if state.receiver_dropped {
            return;
        }
        state.bytes += bytes(&response);
        state.responses.push_back(response);
        let receiver = state.receiver.take();
        drop(state);
        wake(receiver);
    }

    /// Returns whether the receiver has been dropped.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.channel.lock().receiver_dropped
    }

    /// Waits until the receiver is dropped.
    pub fn poll_closed(&self, context: &mut Context<'_>) -> Poll<()> {
        self.channel.lock().poll_dropped(context)
    }

    /// Returns a handle that detects whether the receiver exists.
    #[inline]
    pub fn receiver_status(&self) -> ReceiverStatus {
        ReceiverStatus(Arc::clone(&self.channel))
    }

    /// Sends the last response.
    #[inline]
    pub fn finish(mut self, last: Outcome) {
        self.close(|state| {
            state.last = Some(last);
            state.finished = true;
        });
    }

    /// Holds the last response back until it is [released](Self::release_last). Until then it holds
    /// a clone of `counter`, too. Both are dropped with the receiver.
    pub fn hold_last(&self, response: Outcome, counter: &Arc<()>) {
        let mut state = self.channel.lock();
        if !state.receiver_dropped {
            let _counter = Arc::clone(counter);
            state.held = Some(Box::new(HeldResponse { response, _counter }));
        }
    }

    /// Sends the last response that was held back.
    pub fn release_last(mut self) {
        self.close(|state| {
            state.last = state.held.take().map(|held| held.response);
            state.finished = true;
        });
    }

    /// Finishes without a further response.
    pub fn end(mut self) {
        self.close(|state| state.finished = true);
    }

    /// Applies a last change, closes the channel and wakes the tasks that wait for it.
    fn close(&mut self, last: impl FnOnce(&mut State)) {
        self.closed = true;
        let mut state = self.channel.lock();
        last(&mut state);
        state.ended = true;
        let receiver = state.receiver.take();
        let waiting = state.waiting();
        drop(state);
        wake(receiver);
        wake(waiting);
    }
}

impl ReceiverStatus {
    /// Returns whether the receiver has been dropped.
    #[inline]
    pub fn is_dropped(&self) -> bool {
        self.0.lock().receiver_dropped
    }

    /// Waits until the receiver is dropped.
    pub fn poll_dropped(&self, context: &mut Context<'_>) -> Poll<()> {
        self.0.lock().poll_dropped(context)
    }
}

impl Drop for ResponseSender {
    #[inline]
    fn drop(&mut self) {
        if !self.closed {
            self.close(|_| {});
        }
    }
}

impl ResponseReceiver {
    /// Returns the next response, or `None` after the last one.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: no response is lost.
    pub async fn next(&mut self) -> Option<Outcome> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Returns the next response if it is available.
    #[inline]
    pub fn try_next(&mut self) -> Option<Outcome> {
        if let Some(response) = self.taken.pop_front() {
            return Some(response);
        }
        let (response, senders) = self.channel.lock().take(&mut self.taken);
        wake(senders);
        response
    }

    /// Returns whether the sender has finished. If the channel ended otherwise, the sender is gone.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.channel.lock().finished
    }

    /// Returns whether the last response has been taken.
    pub fn is_over(&self) -> bool {
        let state = self.channel.lock();
        let is_empty = self.taken.is_empty() && state.responses.is_empty();
        state.finished && is_empty && state.last.is_none()
    }

    /// Like [`next`](Self::next).
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        if let Some(response) = self.taken.pop_front() {
            return Poll::Ready(Some(response));
        }
        let mut state = self.channel.lock();
        let (response, senders) = state.take(&mut self.taken);
        if response.is_some() {
            drop(state);
            wake(senders);
            return Poll::Ready(response);
        }
        if state.ended {
            return Poll::Ready(None);
        }
        match &mut state.receiver {
            Some(receiver) => receiver.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for ResponseReceiver {
    fn drop(&mut self) {
        let mut state = self.channel.lock();
        state.receiver_dropped = true;
        if state.is_over() && state.watchers.is_empty() {
            return;
        }
        let receiver_dropped = (
            take(&mut state.responses),
            state.last.take(),
            state.held.take(),
            state.receiver.take(),
        );
        let waiting = state.waiting();
        drop(state);
        // Dropping responses may take long, so it happens without the lock.
        drop(receiver_dropped);
        wake(waiting);
    }
}

/// Wakes tasks. Never call this under the lock: the waker may drop a task, and with it data that
/// takes the lock.
fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

impl State {
    fn poll_dropped(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.receiver_dropped {
            return Poll::Ready(());
        }
        wait(&mut self.watchers, context);
        Poll::Pending
    }

    /// Returns whether the sender has ended and everything has been received.
    fn is_over(&self) -> bool {
        let received = self.responses.is_empty() && self.last.is_none() && self.held.is_none();
        self.ended && received
    }

    fn is_full(&self) -> bool {
        self.responses.len() >= MAX_WAITING && self.bytes >= SMALL_BYTES
    }

    /// Returns whether there is enough space to wake the senders.
    fn is_low(&self) -> bool {
        self.responses.len() <= MAX_WAITING / 2 || self.bytes <= SMALL_BYTES / 2
    }

    /// Takes the next response, and returns the senders that wait for space. If all responses are
    /// small, the following ones are moved to `others`.
    fn take(&mut self, others: &mut VecDeque<Outcome>) -> (Option<Outcome>, Vec<Waker>) {
        let Some(response) = self.responses.pop_front() else {
            return (self.last.take(), Vec::new());
        };
        if self.bytes <= SMALL_BYTES {
            swap(&mut self.responses, others);
            self.bytes = 0;
        } else {
            self.bytes -= bytes(&response);
        }
        let senders = match self.is_low() {
            true => take(&mut self.senders),
            false => Vec::new(),
        };
        (Some(response), senders)
    }

    /// Takes all wakers on the side of the function.
    fn waiting(&mut self) -> Vec<Waker> {
        let mut waiting = take(&mut self.senders);
        waiting.append(&mut self.watchers);
        waiting
    }
}

/// Registers a waker.
fn wait(waiting: &mut Vec<Waker>, context: &Context<'_>) {
    let waker = context.waker();
    if !waiting.iter().any(|other| other.will_wake(waker)) {
        waiting.push(waker.clone());
    }
}

fn bytes(response: &Outcome) -> usize {
    ENVELOPE_BYTES + response.as_ref().map_or(0, Response::bytes)
}

#[cfg(test)]
#[path = "channel_tests.rs"]
mod tests;
