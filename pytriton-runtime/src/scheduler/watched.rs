use std::sync::Arc;
use std::task::{Context, Poll};

use crate::call::{Answering, Cancelled, ModelError};
use crate::request::Response;

use super::message::Reply;
use super::sink::Listening;

/// The requests of a batch whose function asks whether somebody waits for its answer, of which there is one for each.
#[derive(Debug)]
pub(super) struct Watched(Vec<Listening>);

impl Watched {
    pub(super) fn new(replies: &[Reply]) -> Arc<Self> {
        let requests = replies.iter().map(|reply| reply.sink.listening());
        Arc::new(Self(requests.collect()))
    }
}

impl Answering for Watched {
    fn poll_part(
        &self,
        _: usize,
        _: &mut Option<Result<Response, ModelError>>,
        _: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        Poll::Ready(Err(Cancelled))
    }

    fn finish(&self, _: usize, _: Result<(), ModelError>) {}

    fn is_cancelled(&self, request: usize) -> bool {
        self.0.get(request).is_none_or(|request| !request.goes_on())
    }
}
