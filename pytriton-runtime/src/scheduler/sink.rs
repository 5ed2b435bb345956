use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::{swap, take};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::call::Cancelled;
use crate::request::Response;

use super::message::Outcome;

/// The maximum number of responses that wait for the receiver, unless they are small.
const ROOM: usize = 16;

/// While the waiting responses have at most this many bytes, any number may wait, and the receiver
/// takes all of them at once.
const SMALL: usize = 32 << 10;

/// The size of a response without its tensors.
const ENVELOPE: usize = 256;

/// Sends any number of responses to one request, until it is finished.
///
/// Dropping it unfinished means that the request was lost.
#[derive(Debug)]
pub(crate) struct ReplySink {
    channel: Arc<Channel>,
    closed: bool,
}

/// Detects whether the receiver of one request still exists.
#[derive(Debug)]
pub(super) struct Listening(Arc<Channel>);

/// Receives the responses to one request, in order.
#[derive(Debug)]
pub(crate) struct Answers {
    channel: Arc<Channel>,
    /// Small responses that were taken together, which freed their space.
    taken: VecDeque<Outcome>,
}

#[derive(Debug, Default)]
struct Channel(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    answers: VecDeque<Outcome>,
    /// The total size of the waiting responses.
    bytes: usize,
    /// The last response.
    last: Option<Outcome>,
    /// The last response while it must not be received yet.
    kept: Option<Box<Kept>>,
    /// Whether the sender has finished.
    finished: bool,
    ended: bool,
    unheard: bool,
    hearer: Option<Waker>,
    /// Senders that wait for space.
    speakers: Vec<Waker>,
    /// Tasks that wait until the receiver is dropped.
    watchers: Vec<Waker>,
}

/// A response that waits for those to other requests.
#[derive(Debug)]
struct Kept {
    answer: Outcome,
    _counted: Arc<()>,
}

/// Creates a channel for the responses to one request.
pub(crate) fn reply() -> (ReplySink, Answers) {
    let channel = Arc::new(Channel::default());
    let answers = Answers {
        channel: Arc::clone(&channel),
        taken: VecDeque::new(),
    };
    let sink = ReplySink {
        channel,
        closed: false,
    };
    (sink, answers)
}

impl ReplySink {
    /// Waits until there is space for a response.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`] if the receiver has been dropped.
    pub(crate) fn poll_room(&self, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let mut state = self.channel.0.lock();
        if state.unheard {
            return Poll::Ready(Err(Cancelled));
        }
        if state.is_full() {
            wait(&mut state.speakers, context);
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Sends a response that is not the last one.
    pub(crate) fn part(&self, answer: Outcome) {
        let mut state = self.channel.0.lock();
        // The receiver may have been dropped meanwhile.
        if state.unheard {
            return;
        }
        state.bytes += bytes(&answer);
        state.answers.push_back(answer);
        let hearer = state.hearer.take();
        drop(state);
        wake(hearer);
    }

    /// Returns whether the receiver has been dropped.
    pub(crate) fn is_unheard(&self) -> bool {
        self.channel.0.lock().unheard
    }

    /// Waits until the receiver is dropped.
    pub(super) fn poll_unheard(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.channel.0.lock();
        if state.unheard {
            return Poll::Ready(());
        }
        wait(&mut state.watchers, context);
        Poll::Pending
    }

    /// Returns a handle that detects whether the receiver exists.
    pub(super) fn listening(&self) -> Listening {
        Listening(Arc::clone(&self.channel))
    }

    /// Sends the last response.
    pub(crate) fn finish(mut self, last: Outcome) {
        self.close(|state| {
            state.last = Some(last);
            state.finished = true;
        });
    }

    /// Stores the last response until it is [released](Self::let_go), together with the counter of
    /// stored responses. Both are dropped with the receiver.
    pub(super) fn keep(&self, answer: Outcome, counted: &Arc<()>) {
        let mut state = self.channel.0.lock();
        if !state.unheard {
            let _counted = Arc::clone(counted);
            state.kept = Some(Box::new(Kept { answer, _counted }));
        }
    }

    /// Releases the stored last response.
    pub(super) fn let_go(mut self) {
        self.close(|state| {
            state.last = state.kept.take().map(|kept| kept.answer);
            state.finished = true;
        });
    }

    /// Finishes without a further response.
    pub(crate) fn end(mut self) {
        self.close(|state| state.finished = true);
    }

    /// Applies a last change, closes the channel and wakes the tasks that wait for it.
    fn close(&mut self, last: impl FnOnce(&mut State)) {
        self.closed = true;
        let mut state = self.channel.0.lock();
        last(&mut state);
        state.ended = true;
        let hearer = state.hearer.take();
        let waiting = state.waiting();
        drop(state);
        wake(hearer);
        wake(waiting);
    }
}

impl Listening {
    pub(super) fn goes_on(&self) -> bool {
        !self.0.0.lock().unheard
    }
}

impl Drop for ReplySink {
    fn drop(&mut self) {
        if !self.closed {
            self.close(|_| {});
        }
    }
}

impl Answers {
    /// Returns the next response, or `None` after the last one.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: no response is lost.
    pub(crate) async fn next(&mut self) -> Option<Outcome> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Returns the next response if it is available.
    pub(super) fn try_next(&mut self) -> Option<Outcome> {
        if let Some(answer) = self.taken.pop_front() {
            return Some(answer);
        }
        let (answer, speakers) = self.channel.0.lock().take(&mut self.taken);
        wake(speakers);
        answer
    }

    /// Returns whether the sender has finished. If the channel ended otherwise, the sender is gone.
    pub(crate) fn are_finished(&self) -> bool {
        self.channel.0.lock().finished
    }

    /// Returns whether the last response has been taken.
    pub(crate) fn are_over(&self) -> bool {
        let state = self.channel.0.lock();
        let is_empty = self.taken.is_empty() && state.answers.is_empty();
        state.finished && is_empty && state.last.is_none()
    }

    /// Like [`next`](Self::next).
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        if let Some(answer) = self.taken.pop_front() {
            return Poll::Ready(Some(answer));
        }
        let mut state = self.channel.0.lock();
        let (answer, speakers) = state.take(&mut self.taken);
        if answer.is_some() {
            drop(state);
            wake(speakers);
            return Poll::Ready(answer);
        }
        if state.ended {
            return Poll::Ready(None);
        }
        match &mut state.hearer {
            Some(hearer) => hearer.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        let mut state = self.channel.0.lock();
        state.unheard = true;
        if state.is_over() {
            return;
        }
        let unheard = (
            take(&mut state.answers),
            state.last.take(),
            state.kept.take(),
            state.hearer.take(),
        );
        let waiting = state.waiting();
        drop(state);
        // Dropping responses may take long, so it happens without the lock.
        drop(unheard);
        wake(waiting);
    }
}

/// Wakes tasks. Never call this under the lock: the waker may drop a task, and with it data that
/// takes the lock.
fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

impl Channel {}

impl State {
    /// Returns whether the sender has ended and everything has been received.
    fn is_over(&self) -> bool {
        let received = self.answers.is_empty() && self.last.is_none() && self.kept.is_none();
        self.ended && received
    }

    fn is_full(&self) -> bool {
        self.answers.len() >= ROOM && self.bytes >= SMALL
    }

    /// Returns whether there is enough space to wake the senders.
    fn is_low(&self) -> bool {
        self.answers.len() <= ROOM / 2 || self.bytes <= SMALL / 2
    }

    /// Takes the next response, and returns the senders that wait for space. If all responses are
    /// small, the following ones are moved to `others`.
    fn take(&mut self, others: &mut VecDeque<Outcome>) -> (Option<Outcome>, Vec<Waker>) {
        let Some(answer) = self.answers.pop_front() else {
            return (self.last.take(), Vec::new());
        };
        if self.bytes <= SMALL {
            swap(&mut self.answers, others);
            self.bytes = 0;
        } else {
            self.bytes -= bytes(&answer);
        }
        let speakers = match self.is_low() {
            true => take(&mut self.speakers),
            false => Vec::new(),
        };
        (Some(answer), speakers)
    }

    /// Takes all wakers on the side of the function.
    fn waiting(&mut self) -> Vec<Waker> {
        let mut waiting = take(&mut self.speakers);
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

fn bytes(answer: &Outcome) -> usize {
    ENVELOPE + answer.as_ref().map_or(0, Response::bytes)
}

#[cfg(test)]
#[path = "sink_tests.rs"]
mod tests;
