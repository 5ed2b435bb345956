use std::sync::Arc;
use std::task::{Context, Poll};

use pytriton_core::call::{Cancelled, ModelError};
use pytriton_core::request::{Response, SmallVec};
use pytriton_core::response_channel::{RequestSink, ResponseSender, SchedulerError, StreamedBatch};
use pytriton_core::statistics::{MAX_RESPONSE_STATISTICS, nanoseconds};
use tokio::time::Instant;

use super::completion_context::CompletionContext;
use super::message::ResponseTarget;

/// The requests of a batch whose responses are sent while its function runs.
pub(super) type Streamed = StreamedBatch<ChannelSink>;

/// Sends the responses to a request through its channel, and records them.
#[derive(Debug)]
pub(super) struct ChannelSink {
    completion: Arc<CompletionContext>,
    arrived: Instant,
    batch_size: usize,
    /// `None` after the end.
    sender: Option<ResponseSender>,
    /// When the previous response was sent, or the function was called.
    since: Instant,
    /// The number of recorded responses.
    recorded: u32,
    failed: bool,
}

/// When a request arrived, its rows, and whether it succeeded.
type StreamOutcome = (Instant, usize, bool);

/// Creates the sinks for the responses of a batch.
pub(super) fn streamed(
    completion: &Arc<CompletionContext>,
    begun: Instant,
    targets: SmallVec<ResponseTarget>,
) -> Arc<Streamed> {
    let sinks = targets.into_iter().map(|target| {
        target.sink.count_in(completion.budget().exact_permit());
        ChannelSink {
            completion: Arc::clone(completion),
            arrived: target.arrived,
            batch_size: target.batch_size,
            sender: Some(target.sink),
            since: begun,
            recorded: 0,
            failed: false,
        }
    });
    Arc::new(StreamedBatch::new(sinks))
}

impl ChannelSink {
    /// Records the result with which the request will end, unless it has ended.
    pub(super) fn conclude(&mut self, end: &Result<(), SchedulerError>) -> StreamOutcome {
        if self.sender.is_some() && end.is_err() {
            self.fail();
        }
        (self.arrived, self.batch_size, !self.failed)
    }

    /// Records the failure with which the request ends, once.
    fn fail(&mut self) {
        if !self.failed {
            self.failed = true;
            self.record(false);
        }
    }

    /// Records a response, up to the number of responses with separate statistics.
    fn record(&mut self, succeeded: bool) {
        if self.recorded >= MAX_RESPONSE_STATISTICS {
            return;
        }
        let now = Instant::now();
        self.completion.recorder().record_response(
            self.recorded,
            nanoseconds(now.saturating_duration_since(self.since)),
            nanoseconds(now.saturating_duration_since(self.arrived)),
            succeeded,
        );
        self.since = now;
        self.recorded += 1;
    }
}

impl RequestSink for ChannelSink {
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let sender = self.sender.as_ref();
        sender.map_or(Poll::Ready(Err(Cancelled)), |sender| {
            sender.poll_ready(context)
        })
    }

    fn send(&mut self, sent: u32, response: Result<Response, ModelError>) -> Result<(), Cancelled> {
        let Some(sender) = &self.sender else {
            return Err(Cancelled);
        };
        let succeeded = response.is_ok();
        let given = match self.completion.reserved(response) {
            Err(error) if succeeded => Err(error),
            response => sender.send(response).map_err(SchedulerError::from),
        };
        // If there is no memory for the response, the request ends.
        if let Err(error) = given {
            self.end(sent, Err(error));
            return Err(Cancelled);
        }
        self.record(succeeded);
        Ok(())
    }

    fn end(&mut self, _: u32, end: Result<(), SchedulerError>) {
        let Some(sender) = self.sender.take() else {
            return;
        };
        match end {
            Ok(()) => sender.end(),
            // The function has not failed: it returned because its clients are gone.
            Err(SchedulerError::Cancelled) => sender.end(),
            Err(error) => {
                self.fail();
                sender.finish(Err(error));
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        self.sender.as_ref().is_none_or(ResponseSender::is_closed)
    }

    fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let sender = self.sender.as_ref();
        sender.map_or(Poll::Ready(()), |sender| sender.poll_closed(context))
    }
}
