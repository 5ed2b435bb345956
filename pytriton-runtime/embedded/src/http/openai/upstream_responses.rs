use std::fmt;
use std::time::Duration;

use futures_util::FutureExt;
use pytriton_core::request::Response;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::text::for_client;
use pytriton_engine::side_channel::SideChannelResponses;
use pytriton_kserve::openai::OpenAiError;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::service::Error;

use super::super::tritonserver_client::TritonserverError;

/// How long after the last response a request is assumed to be forgotten by tritonserver if it has
/// not ended.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// The result of a request to tritonserver: it has ended, or why it was refused.
pub(super) type Forwarded = Result<(), OpenAiError>;

/// The responses to one request. Dropping it closes the connection, which cancels the request in
/// tritonserver.
pub(super) struct UpstreamResponses {
    pub(super) claim: SideChannelResponses,
    /// The task that sends the request to tritonserver.
    pub(super) asking: JoinSet<Forwarded>,
    pub(super) outcome: Option<Forwarded>,
    over: bool,
}

impl UpstreamResponses {
    /// Creates the receiver for a request that `asking` sends.
    pub(super) fn new(claim: SideChannelResponses, asking: JoinSet<Forwarded>) -> Self {
        Self {
            claim,
            asking,
            outcome: None,
            over: false,
        }
    }

    /// Returns the next response, or `None` after the last one. An error is the last one.
    pub(super) async fn next(&mut self) -> Option<Result<Response, OpenAiError>> {
        if self.over {
            return None;
        }
        let next = self.receive().await;
        self.over = !matches!(next, Some(Ok(_)));
        if next.is_none() {
            self.end().await;
        }
        next
    }

    async fn receive(&mut self) -> Option<Result<Response, OpenAiError>> {
        let next = match &self.outcome {
            None => tokio::select! {
                biased;
                next = self.claim.next() => next,
                outcome = self.asking.join_next() => {
                    let outcome = outcome.and_then(Result::ok);
                    self.outcome = Some(outcome.unwrap_or_else(|| Err(unavailable(&"the request was not sent"))));
                    // Earlier responses have arrived already.
                    self.claim.next().now_or_never().flatten()
                }
            },
            Some(_) => self.claim.next().now_or_never().flatten(),
        };
        match next {
            Some(Ok(response)) => Some(Ok(response)),
            // The client has not cancelled it.
            Some(Err(SchedulerError::Cancelled)) => {
                Some(Err(unavailable(&"the request was abandoned")))
            }
            Some(Err(error)) => Some(Err(Error::from(error).into())),
            None if self.claim.is_complete() => None,
            None => Some(Err(self.failure().await)),
        }
    }

    /// Returns why there is no response.
    async fn failure(&mut self) -> OpenAiError {
        let outcome = match self.outcome.take() {
            None => self.asking.join_next().await.and_then(Result::ok),
            outcome => outcome,
        };
        match outcome {
            Some(Err(error)) => error,
            _ => unavailable(&"it did not pass the request to the model"),
        }
    }

    /// Gives tritonserver time to end the request.
    async fn end(&mut self) {
        // The connection is closed in any case.
        let _ = timeout(END_TIMEOUT, self.asking.join_next()).await;
    }
}

pub(super) fn unavailable(error: &dyn fmt::Display) -> OpenAiError {
    no_response(&TritonserverError::disconnected(error))
}

pub(super) fn no_response(error: &TritonserverError) -> OpenAiError {
    OpenAiError::Failed {
        status: 503,
        message: for_client(error),
        retry_after: None,
    }
}

impl fmt::Debug for UpstreamResponses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamResponses")
            .field("claim", &self.claim)
            .finish_non_exhaustive()
    }
}
