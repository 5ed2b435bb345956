use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::{swap, take};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::call::Cancelled;
use crate::request::Response;

use super::message::Outcome;

/// How many answers may wait for whoever hears them.
const ROOM: usize = 16;

/// While those that wait have fewer bytes than that, others may join them whatever their number, and they are taken together.
const SMALL: usize = 32 << 10;

/// What an answer takes besides its tensors.
const ENVELOPE: usize = 256;

/// Where the answers to one request go, any number of them, until it is finished.
///
/// Who drops it unfinished has lost the request.
#[derive(Debug)]
pub(crate) struct ReplySink(Arc<Channel>);

/// Whether anybody hears the answers to one request.
#[derive(Debug)]
pub(super) struct Listening(Arc<Channel>);

/// The answers to one request, in their order.
#[derive(Debug)]
pub(crate) struct Answers {
    channel: Arc<Channel>,
    /// Small ones that were taken together, and left their room to others.
    taken: VecDeque<Outcome>,
}

#[derive(Debug, Default)]
struct Channel(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    answers: VecDeque<Outcome>,
    /// The bytes of these.
    bytes: usize,
    /// The last one.
    last: Option<Outcome>,
    /// The same while it must not be heard yet.
    kept: Option<Box<Kept>>,
    /// Whether whoever answers has said that there is no more.
    finished: bool,
    ended: bool,
    unheard: bool,
    hearer: Option<Waker>,
    /// Those who wait for room.
    speakers: Vec<Waker>,
    /// Those who wait until nobody hears.
    watchers: Vec<Waker>,
}

/// An answer that waits for those to other requests.
#[derive(Debug)]
struct Kept {
    answer: Outcome,
    _counted: Arc<()>,
}

/// A way for the answers to one request.
pub(crate) fn reply() -> (ReplySink, Answers) {
    let channel = Arc::new(Channel::default());
    let answers = Answers {
        channel: Arc::clone(&channel),
        taken: VecDeque::new(),
    };
    (ReplySink(channel), answers)
}

impl ReplySink {
    /// Waits until there is room for an answer.
    ///
    /// # Errors
    ///
    /// [`Cancelled`]: the answers to come need not be made.
    pub(crate) fn poll_room(&self, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let mut state = self.0.lock();
        if state.unheard {
            return Poll::Ready(Err(Cancelled));
        }
        if state.is_full() {
            wait(&mut state.speakers, context);
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Gives an answer behind which others come.
    pub(crate) fn part(&self, answer: Outcome) {
        let mut state = self.0.lock();
        // Whoever has gone meanwhile hears nothing.
        if state.unheard {
            return;
        }
        state.bytes += bytes(&answer);
        state.answers.push_back(answer);
        let hearer = state.hearer.take();
        drop(state);
        wake(hearer);
    }

    /// Whether nobody hears what is said here.
    pub(crate) fn is_unheard(&self) -> bool {
        self.0.lock().unheard
    }

    /// Waits until nobody hears what is said here.
    pub(super) fn poll_unheard(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        if state.unheard {
            return Poll::Ready(());
        }
        wait(&mut state.watchers, context);
        Poll::Pending
    }

    /// What says so when this has gone.
    pub(super) fn listening(&self) -> Listening {
        Listening(Arc::clone(&self.0))
    }

    /// Gives the last answer.
    pub(crate) fn finish(self, last: Outcome) {
        let mut state = self.0.lock();
        state.last = Some(last);
        state.finished = true;
    }

    /// Keeps the last answer back until it is [let go](Self::let_go), and with it what counts those that are kept. Whoever
    /// goes meanwhile takes it along.
    pub(super) fn keep(&self, answer: Outcome, counted: &Arc<()>) {
        let mut state = self.0.lock();
        if !state.unheard {
            let _counted = Arc::clone(counted);
            state.kept = Some(Box::new(Kept { answer, _counted }));
        }
    }

    /// Gives the last answer, which was kept back.
    pub(super) fn let_go(self) {
        let mut state = self.0.lock();
        state.last = state.kept.take().map(|kept| kept.answer);
        state.finished = true;
    }

    /// There is no answer behind those that were given.
    pub(crate) fn end(self) {
        self.0.lock().finished = true;
    }
}

impl Listening {
    pub(super) fn goes_on(&self) -> bool {
        !self.0.lock().unheard
    }
}

impl Drop for ReplySink {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        let hearer = state.hearer.take();
        let waiting = state.waiting();
        drop(state);
        wake(hearer);
        wake(waiting);
    }
}

impl Answers {
    /// The next answer; `None` behind the last one.
    ///
    /// # Cancel safety
    ///
    /// No answer is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> Option<Outcome> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// The next answer, if it is there.
    pub(super) fn try_next(&mut self) -> Option<Outcome> {
        if let Some(answer) = self.taken.pop_front() {
            return Some(answer);
        }
        let (answer, speakers) = self.channel.lock().take(&mut self.taken);
        wake(speakers);
        answer
    }

    /// Whether the request was answered to its end; otherwise whoever should have answered it is gone.
    pub(crate) fn are_finished(&self) -> bool {
        self.channel.lock().finished
    }

    /// Whether there is no answer behind those that were taken, and will be none.
    pub(crate) fn are_over(&self) -> bool {
        let state = self.channel.lock();
        let is_empty = self.taken.is_empty() && state.answers.is_empty();
        state.finished && is_empty && state.last.is_none()
    }

    /// As [`next`](Self::next).
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        if let Some(answer) = self.taken.pop_front() {
            return Poll::Ready(Some(answer));
        }
        let mut state = self.channel.lock();
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
        let mut state = self.channel.lock();
        state.unheard = true;
        let unheard = (
            take(&mut state.answers),
            state.last.take(),
            state.kept.take(),
            state.hearer.take(),
        );
        let waiting = state.waiting();
        drop(state);
        // What they hold may take its time to go.
        drop(unheard);
        wake(waiting);
    }
}

/// Wakes whoever waits, never under the lock: a task that is woken may be dropped instead, with what it holds.
fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

impl Channel {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.answers.len() >= ROOM && self.bytes >= SMALL
    }

    /// Whether there is room for so many answers that it is worth waking whoever makes them.
    fn is_low(&self) -> bool {
        self.answers.len() <= ROOM / 2 || self.bytes <= SMALL / 2
    }

    /// The next answer, and who have waited for the room that is left. Where all are small, those behind it go to `others`.
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

    /// All who wait on the side of the function.
    fn waiting(&mut self) -> Vec<Waker> {
        let mut waiting = take(&mut self.speakers);
        waiting.append(&mut self.watchers);
        waiting
    }
}

/// Notes who waits.
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
