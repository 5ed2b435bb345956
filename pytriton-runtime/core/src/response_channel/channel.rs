use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::take;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::call::Cancelled;
use crate::memory_budget::{MemoryBudgetError, MemoryPermit};

use super::Outcome;
use super::channel_state::{HeldResponse, State, bytes, wait};
use super::waiting_memory::WaitingMemory;

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
    /// Counts the responses that wait. `permit` is an empty permit that counts from its first byte.
    ///
    /// If the budget is exhausted, a response waits for space until the receiver has taken all
    /// previous ones.
    pub fn count_in(&self, permit: MemoryPermit) {
        self.channel.lock().memory = Some(Box::new(WaitingMemory::new(permit)));
    }

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
        if state.is_full() || !state.has_memory() {
            wait(&mut state.senders, context);
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Sends a response that is not the last one.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the responses that wait are counted, and the memory of this
    /// one cannot be reserved. After [`poll_ready`](Self::poll_ready), this can only happen to a
    /// response behind others that has more than
    /// [`MAX_UNRESERVED_BYTES`](super::MAX_UNRESERVED_BYTES).
    pub fn send(&self, response: Outcome) -> Result<(), MemoryBudgetError> {
        let mut state = self.channel.lock();
        // The receiver may have been dropped meanwhile.
        if state.receiver_dropped {
            return Ok(());
        }
        if let Some(memory) = &mut state.memory {
            memory.add(&response)?;
        }
        state.bytes += bytes(&response);
        state.responses.push_back(response);
        let receiver = state.receiver.take();
        drop(state);
        wake(receiver);
        Ok(())
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
        if response.is_some() || state.ended {
            drop(state);
            wake(senders);
            return Poll::Ready(response);
        }
        match &mut state.receiver {
            Some(receiver) => receiver.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        drop(state);
        // Senders may wait for the memory of responses that were taken before.
        wake(senders);
        Poll::Pending
    }
}

impl Drop for ResponseReceiver {
    fn drop(&mut self) {
        let mut state = self.channel.lock();
        state.receiver_dropped = true;
        let memory = state.memory.take();
        if state.is_over() && state.watchers.is_empty() {
            return;
        }
        let receiver_dropped = (
            take(&mut state.responses),
            state.last.take(),
            state.held.take(),
            state.receiver.take(),
            memory,
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

#[cfg(test)]
#[path = "channel_tests.rs"]
mod tests;
