use std::mem;

use super::raw::RawRequest;
use super::response::Response;
use super::stream::Stream;
use crate::failure::Failure;

/// A request of an execution, and what is known of its answer.
#[derive(Debug)]
pub(super) struct Pending {
    request: *mut RawRequest,
    state: State,
    /// Where it may have any number of answers.
    stream: Option<Box<Stream>>,
}

#[derive(Debug)]
enum State {
    /// Nothing is known.
    Open,
    /// It has a response, which is being filled.
    Begun(Response),
    /// It is known what becomes of it: its answer, where it has one and that was not sent before.
    Done(Result<Option<Response>, Failure>),
    /// It was answered, and is Triton's again.
    Sent,
}

impl Pending {
    /// A request of which nothing is known.
    pub(super) fn new(request: *mut RawRequest) -> Self {
        Self {
            request,
            state: State::Open,
            stream: None,
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

    /// Lets it have any number of answers.
    pub(super) fn set_stream(&mut self, stream: Stream) {
        self.stream = Some(Box::new(stream));
    }

    /// The way of its answers, where it may have any number.
    pub(super) fn stream(&mut self) -> Option<&mut Stream> {
        self.stream.as_deref_mut()
    }

    /// Ends the way of its answers, of which there are no more.
    pub(super) fn end_stream(&mut self) {
        self.stream = None;
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

    /// The answer that was begun, where others may follow.
    pub(super) fn part(&mut self) -> Option<(Response, &mut Stream)> {
        let stream = self.stream.as_deref_mut()?;
        match mem::replace(&mut self.state, State::Open) {
            State::Begun(response) => Some((response, stream)),
            other => {
                self.state = other;
                None
            }
        }
    }

    /// Says that the answer that was begun is whole; where there may be any number, that no other follows.
    pub(super) fn finish(&mut self) {
        self.state = match mem::replace(&mut self.state, State::Sent) {
            State::Begun(response) => State::Done(Ok(Some(response))),
            State::Open if self.stream.is_some() => State::Done(Ok(None)),
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
