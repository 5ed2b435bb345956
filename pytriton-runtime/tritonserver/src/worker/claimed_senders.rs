use std::task::{Context, Poll};

use parking_lot::Mutex;
use pytriton_core::call::Cancelled;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{Request, Response};
use pytriton_core::response_channel::{ResponseSender, SchedulerError};
use pytriton_engine::side_channel::SideChannel;

/// The response senders for requests of this process within a batch, by position.
#[derive(Debug, Default)]
pub(super) struct ClaimedSenders(Vec<Mutex<Option<ResponseSender>>>);

impl ClaimedSenders {
    /// Collects the senders that the requests refer to.
    pub(super) fn new(
        spec: &ModelSpec,
        side_channel: &SideChannel,
        requests: &mut [Request],
    ) -> Self {
        // Only the OpenAI routes use the side channel.
        if spec.openai.is_none() {
            return Self::default();
        }
        let requests = requests.iter_mut();
        Self(
            requests
                .map(|request| Mutex::new(side_channel.redeem(request)))
                .collect(),
        )
    }

    /// Returns whether this process awaits the responses. If so, tritonserver receives only their
    /// number.
    pub(super) fn contains(&self, request: usize) -> bool {
        self.with(request, |_| ()).is_some()
    }

    /// Waits until a response can be sent.
    pub(super) fn poll_ready(
        &self,
        request: usize,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        let ready = self.with(request, |sink| sink.poll_ready(context));
        ready.unwrap_or(Poll::Ready(Ok(())))
    }

    /// Sends a response that is not the last.
    pub(super) fn send(&self, request: usize, answer: &Result<Response, SchedulerError>) {
        self.with(request, |sink| sink.send(answer.clone()));
    }

    /// Ends the responses of a request, with an error if the request failed.
    pub(super) fn end(&self, request: usize, end: &Result<(), SchedulerError>) {
        let Some(sink) = self.0.get(request).and_then(|sink| sink.lock().take()) else {
            return;
        };
        match end {
            Ok(()) => sink.end(),
            Err(error) => sink.finish(Err(error.clone())),
        }
    }

    /// Sends each request its only response.
    pub(super) fn finish(&self, results: &[Result<Response, SchedulerError>]) {
        for (sink, result) in self.0.iter().zip(results) {
            if let Some(sink) = sink.lock().take() {
                sink.finish(result.clone());
            }
        }
    }

    /// Returns whether the receiver of a request's responses is gone.
    pub(super) fn is_closed(&self, request: usize) -> bool {
        self.with(request, ResponseSender::is_closed) == Some(true)
    }

    fn with<T>(&self, request: usize, then: impl FnOnce(&ResponseSender) -> T) -> Option<T> {
        self.0
            .get(request)
            .and_then(|sink| sink.lock().as_ref().map(then))
    }
}
