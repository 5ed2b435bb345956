use std::mem;

use super::raw::RawRequest;
use super::response::Response;
use crate::failure::Failure;

/// A request of an execution, and what is known of its answer.
#[derive(Debug)]
pub(super) struct Pending {
    request: *mut RawRequest,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing is known.
    Open,
    /// It has a response, which is being filled.
    Begun(Response),
    /// It is known what becomes of it.
    Done(Result<Response, Failure>),
    /// It was answered, and is Triton's again.
    Sent,
}

impl Pending {
    /// A request of which nothing is known.
    pub(super) fn new(request: *mut RawRequest) -> Self {
        Self {
            request,
            state: State::Open,
        }
    }

    /// The request, which is live until its answer was [taken](Self::take).
    pub(super) fn request(&self) -> *mut RawRequest {
        self.request
    }

    /// Whether it is not yet known what becomes of it.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open | State::Begun(_))
    }

    /// Whether it can be answered.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_))
    }

    /// Whether it can be answered with a response.
    pub(super) fn succeeded(&self) -> bool {
        matches!(self.state, State::Done(Ok(_)))
    }

    /// Begins an answer.
    pub(super) fn begin(&mut self, response: Response) {
        self.state = State::Begun(response);
    }

    /// The answer that was begun.
    pub(super) fn begun(&mut self) -> Option<&mut Response> {
        match &mut self.state {
            State::Begun(response) => Some(response),
            _ => None,
        }
    }

    /// Says that the answer that was begun is whole.
    pub(super) fn finish(&mut self) {
        self.state = match mem::replace(&mut self.state, State::Sent) {
            State::Begun(response) => State::Done(Ok(response)),
            other => other,
        };
    }

    /// Says that it has failed, unless it was answered.
    pub(super) fn fail(&mut self, failure: Failure) {
        if self.is_open() {
            self.state = State::Done(Err(failure));
        }
    }

    /// Its answer, to be sent, where it can be answered.
    pub(super) fn take(&mut self) -> Option<Result<Response, Failure>> {
        match mem::replace(&mut self.state, State::Sent) {
            State::Done(result) => Some(result),
            other => {
                self.state = other;
                None
            }
        }
    }
}
