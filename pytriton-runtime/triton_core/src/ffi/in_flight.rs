use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::{mem, ptr};

use bytes::Bytes;
use parking_lot::Mutex;
use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};

use crate::CoreError;
use crate::response::ResponseEvent;

use super::Loaded;
use super::buffer::OutputBuffer;
use super::raw::RawRequest;
use super::requests::{Requests, Sent, Unused};

/// A request that Triton processes. Its two callbacks and its [`Responses`](crate::Responses) share
/// it.
///
/// The request is deleted when Triton has both released it and completed its last response.
#[derive(Debug)]
pub(crate) struct InFlight {
    library: &'static Loaded,
    budget: Option<Arc<MemoryBudget>>,
    requests: Arc<Requests>,
    state: Mutex<State>,
}

/// What Triton reads until it releases the request, and its reservation.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    _data: Vec<Bytes>,
    _memory: Option<MemoryPermit>,
}

#[derive(Debug)]
struct State {
    /// The request; null before it is sent and after it is deleted.
    raw: *mut RawRequest,
    /// When the request was sent; `None` if it was not.
    sent: Option<Sent>,
    inputs: Inputs,
    /// Whether Triton has released the request.
    is_released: bool,
    /// Whether Triton has completed the last response.
    is_complete: bool,
    /// Whether nothing reads further responses.
    is_abandoned: bool,
    /// The responses that were not read yet, each with its reservation.
    waiting: VecDeque<(ResponseEvent, Option<MemoryPermit>)>,
    waker: Option<Waker>,
}

// SAFETY: any thread may use a request (invariant 4), and the lock serializes its use.
unsafe impl Send for State {}

impl Inputs {
    /// Takes over the data of the inputs and the reservation that covers it.
    pub(super) fn new(data: Vec<Bytes>, memory: MemoryPermit) -> Self {
        Self {
            _data: data,
            _memory: Some(memory),
        }
    }
}

impl InFlight {
    /// Creates the state of a request that is not sent yet.
    pub(super) fn new(
        library: &'static Loaded,
        budget: Option<Arc<MemoryBudget>>,
        requests: Arc<Requests>,
        inputs: Inputs,
    ) -> Arc<Self> {
        let state = State {
            raw: ptr::null_mut(),
            sent: None,
            inputs,
            is_released: false,
            is_complete: false,
            is_abandoned: false,
            waiting: VecDeque::new(),
            waker: None,
        };
        Arc::new(Self {
            library,
            budget,
            requests,
            state: Mutex::new(state),
        })
    }

    /// Returns the library of the request.
    pub(super) fn library(&self) -> &'static Loaded {
        self.library
    }

    /// Allocates an output. An empty one needs no memory.
    pub(super) fn allocate(
        &self,
        size: usize,
    ) -> Result<Option<Arc<OutputBuffer>>, MemoryBudgetError> {
        match NonZeroUsize::new(size) {
            None => Ok(None),
            Some(size) => OutputBuffer::new(size, self.budget.as_ref()).map(Some),
        }
    }

    /// Records that the request is about to be sent.
    pub(super) fn sending(&self, raw: *mut RawRequest) {
        let sent = self.requests.sending();
        let mut state = self.state.lock();
        (state.raw, state.sent) = (raw, Some(sent));
    }

    /// Records that Triton did not accept the request, which the caller deletes.
    pub(super) fn not_sent(&self) {
        let mut state = self.state.lock();
        (state.raw, state.sent) = (ptr::null_mut(), None);
        drop(state);
        self.requests.not_sent();
    }

    /// Records that Triton has released the request.
    pub(super) fn release(&self) {
        let (inputs, unused) = {
            let mut state = self.state.lock();
            state.is_released = true;
            (mem::take(&mut state.inputs), state.unused())
        };
        drop(inputs);
        self.delete(unused);
    }

    /// Adds a response or an end.
    pub(super) fn complete(&self, event: ResponseEvent) {
        let (unread, waker, unused) = {
            let mut state = self.state.lock();
            state.is_complete |= event.is_final;
            let unread = state.add(event, self);
            (unread, state.waker.take(), state.unused())
        };
        drop(unread);
        self.delete(unused);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Returns the next response, or `None` after the last one.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<Option<ResponseEvent>> {
        let mut state = self.state.lock();
        if let Some((event, permit)) = state.waiting.pop_front() {
            drop(state);
            drop(permit);
            return Poll::Ready(Some(event));
        }
        if state.is_complete || state.is_abandoned {
            return Poll::Ready(None);
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Cancels the request, unless it has ended. Its responses are dropped.
    pub(crate) fn abandon(&self) {
        let unread = {
            let mut state = self.state.lock();
            state.abandon(self.library);
            mem::take(&mut state.waiting)
        };
        drop(unread);
    }

    fn delete(&self, unused: Option<(Unused, Sent)>) {
        if let Some((request, sent)) = unused {
            self.requests.delete(request, sent);
        }
    }
}

impl State {
    /// Adds an event, or returns it if nothing would read it.
    ///
    /// The first of the waiting responses needs no reservation of its own, so that a request with
    /// one response is never refused here. Others wait because the client reads slowly. If the
    /// budget has no memory for them, the request is cancelled.
    fn add(&mut self, event: ResponseEvent, of: &InFlight) -> Option<ResponseEvent> {
        if self.is_abandoned {
            return Some(event);
        }
        let mut permit = None;
        if let (Some(budget), false) = (&of.budget, self.waiting.is_empty()) {
            let mut exact = budget.exact_permit();
            if let Err(error) = exact.grow(event.unreserved_bytes()) {
                self.waiting
                    .push_back((ResponseEvent::failed(error.into()), None));
                self.abandon(of.library);
                return Some(event);
            }
            permit = Some(exact);
        }
        self.waiting.push_back((event, permit));
        None
    }

    /// Cancels the request, unless it has ended, and ignores further responses.
    fn abandon(&mut self, library: &'static Loaded) {
        self.is_abandoned = true;
        if self.raw.is_null() || self.is_complete {
            return;
        }
        // SAFETY: the request was sent and is not deleted yet: that needs the lock, which is held.
        let error = unsafe { (library.api.request_cancel)(self.raw) };
        // The request ends by itself then.
        let _: Result<(), CoreError> = library.check(error);
    }

    /// Returns the request if Triton does not use it any more.
    fn unused(&mut self) -> Option<(Unused, Sent)> {
        if !self.is_released || !self.is_complete {
            return None;
        }
        let sent = self.sent.take()?;
        Some((Unused(mem::replace(&mut self.raw, ptr::null_mut())), sent))
    }
}
