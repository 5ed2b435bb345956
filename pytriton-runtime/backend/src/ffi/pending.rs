use std::mem;

use super::raw::RawRequest;
use super::response::Response;
use super::stream::Stream;
use crate::failure::Failure;

/// A request of an execution and the state of its result.
#[derive(Debug)]
pub(super) struct Pending {
    request: *mut RawRequest,
    state: State,
    /// Set if it can have any number of responses.
    stream: Option<Box<Stream>>,
}

#[derive(Debug)]
enum State {
    /// It has no result yet.
    Open,
    /// Its response is being filled.
    Begun(Response),
    /// Its result is complete: the response, unless it was already sent.
    Done(Result<Option<Response>, Failure>),
    /// It was completed and released to Triton.
    Sent,
}

impl Pending {
    /// Creates a request without a result.
    pub(super) fn new(request: *mut RawRequest) -> Self {
        Self {
            request,
            state: State::Open,
            stream: None,
        }
    }

    /// Returns the request, which is live until its result is [taken](Self::take).
    pub(super) fn request(&self) -> *mut RawRequest {
        self.request
    }

    /// Returns whether its result is still open.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open | State::Begun(_))
    }

    /// Returns whether its result is complete.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_))
    }

    /// Returns whether its result is a success.
    pub(super) fn succeeded(&self) -> bool {
        matches!(self.state, State::Done(Ok(_)))
    }

    /// Permits any number of responses.
    pub(super) fn set_stream(&mut self, stream: Stream) {
        self.stream = Some(Box::new(stream));
    }

    /// Returns its stream, if it can have any number of responses.
    pub(super) fn stream(&mut self) -> Option<&mut Stream> {
        self.stream.as_deref_mut()
    }

    /// Drops its stream after the last response.
    pub(super) fn end_stream(&mut self) {
        self.stream = None;
    }

    /// Begins a response.
    pub(super) fn begin(&mut self, response: Response) {
        self.state = State::Begun(response);
    }

    /// Returns the current response.
    pub(super) fn begun(&mut self) -> Option<&mut Response> {
        match &mut self.state {
            State::Begun(response) => Some(response),
            _ => None,
        }
    }

    /// Takes the current response of a stream.
    pub(super) fn take_response(&mut self) -> Option<(Response, &mut Stream)> {
        let stream = self.stream.as_deref_mut()?;
        match mem::replace(&mut self.state, State::Open) {
            State::Begun(response) => Some((response, stream)),
            other => {
                self.state = other;
                None
            }
        }
    }

    /// Completes the current response; for a stream, ends it.
    pub(super) fn finish(&mut self) {
        self.state = match mem::replace(&mut self.state, State::Sent) {
            State::Begun(response) => State::Done(Ok(Some(response))),
            State::Open if self.stream.is_some() => State::Done(Ok(None)),
            other => other,
        };
    }

    /// Records that it has failed, unless it was completed.
    pub(super) fn fail(&mut self, failure: Failure) {
        if self.is_open() {
            self.state = State::Done(Err(failure));
        }
    }

    /// Takes its result to send it, if complete.
    pub(super) fn take(&mut self) -> Option<Result<Option<Response>, Failure>> {
        match mem::replace(&mut self.state, State::Sent) {
            State::Done(result) => Some(result),
            other => {
                self.state = other;
                None
            }
        }
    }
}
