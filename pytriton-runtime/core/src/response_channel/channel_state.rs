use std::collections::VecDeque;
use std::mem::{swap, take};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::request::Response;

use super::Outcome;
use super::waiting_memory::{ENVELOPE_BYTES, WaitingMemory};

/// The maximum number of responses that wait for the receiver, unless they are small.
pub(super) const MAX_WAITING: usize = 16;

/// While the waiting responses have at most this many bytes, any number may wait, and the receiver
/// takes all of them at once.
pub(super) const SMALL_BYTES: usize = 32 << 10;

/// The content of a channel.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) responses: VecDeque<Outcome>,
    /// The total size of the waiting responses.
    pub(super) bytes: usize,
    /// The reservation of the waiting responses, if they are counted.
    pub(super) memory: Option<Box<WaitingMemory>>,
    /// The last response.
    pub(super) last: Option<Outcome>,
    /// The last response while it must not be received yet.
    pub(super) held: Option<Box<HeldResponse>>,
    /// Whether the sender has finished.
    pub(super) finished: bool,
    pub(super) ended: bool,
    pub(super) receiver_dropped: bool,
    pub(super) receiver: Option<Waker>,
    /// Senders that wait for space.
    pub(super) senders: Vec<Waker>,
    /// Tasks that wait until the receiver is dropped.
    pub(super) watchers: Vec<Waker>,
}

/// A response that waits for those to other requests.
#[derive(Debug)]
pub(super) struct HeldResponse {
    pub(super) response: Outcome,
    pub(super) _counter: Arc<()>,
}

impl State {
    pub(super) fn poll_dropped(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.receiver_dropped {
            return Poll::Ready(());
        }
        wait(&mut self.watchers, context);
        Poll::Pending
    }

    /// Returns whether the sender has ended and everything has been received.
    pub(super) fn is_over(&self) -> bool {
        let received = self.responses.is_empty() && self.last.is_none() && self.held.is_none();
        self.ended && received
    }

    pub(super) fn is_full(&self) -> bool {
        self.responses.len() >= MAX_WAITING && self.bytes >= SMALL_BYTES
    }

    /// Returns whether a small response can be reserved, or needs no reservation.
    pub(super) fn has_memory(&mut self) -> bool {
        let memory = self.memory.as_mut();
        memory.is_none_or(|memory| memory.has_space())
    }

    /// Returns whether there is enough space to wake the senders.
    pub(super) fn is_low(&self) -> bool {
        self.responses.len() <= MAX_WAITING / 2 || self.bytes <= SMALL_BYTES / 2
    }

    /// Takes the next response, and returns the senders that wait for space. If all responses are
    /// small, the following ones are moved to `others`.
    pub(super) fn take(&mut self, others: &mut VecDeque<Outcome>) -> (Option<Outcome>, Vec<Waker>) {
        let Some(response) = self.responses.pop_front() else {
            // Senders wait in an empty channel only for the memory of responses that were taken.
            let senders = match &mut self.memory {
                Some(memory) => {
                    memory.take(None, others.iter());
                    take(&mut self.senders)
                }
                None => Vec::new(),
            };
            return (self.last.take(), senders);
        };
        if self.bytes <= SMALL_BYTES {
            swap(&mut self.responses, others);
            self.bytes = 0;
        } else {
            self.bytes -= bytes(&response);
        }
        if let Some(memory) = &mut self.memory {
            memory.take(Some(&response), others.iter());
        }
        let senders = match self.is_low() {
            true => take(&mut self.senders),
            false => Vec::new(),
        };
        (Some(response), senders)
    }

    /// Takes all wakers on the side of the function.
    pub(super) fn waiting(&mut self) -> Vec<Waker> {
        let mut waiting = take(&mut self.senders);
        waiting.append(&mut self.watchers);
        waiting
    }
}

/// Registers a waker.
pub(super) fn wait(waiting: &mut Vec<Waker>, context: &Context<'_>) {
    let waker = context.waker();
    if !waiting.iter().any(|other| other.will_wake(waker)) {
        waiting.push(waker.clone());
    }
}

pub(super) fn bytes(response: &Outcome) -> usize {
    ENVELOPE_BYTES + response.as_ref().map_or(0, Response::bytes)
}
