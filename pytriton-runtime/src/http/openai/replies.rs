use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::claims::Claim;
use crate::model::ModelSpec;
use crate::openai::{OpenAiError, Piece};
use crate::scheduler::SchedulerError;

use super::pieces::piece;
use super::upstream::{Told, gone};

/// So long after its last answer a request that has not ended is taken for one that tritonserver has forgotten.
const FORGOTTEN: Duration = Duration::from_millis(500);

/// The answers to one request. Dropping it closes its connection, by which tritonserver hears that nobody waits.
pub(super) struct Replies {
    pub(super) spec: Arc<ModelSpec>,
    pub(super) claim: Claim,
    /// Asks tritonserver.
    pub(super) asking: JoinSet<Told>,
    pub(super) told: Option<Told>,
    over: bool,
}

impl Replies {
    /// None yet, of a request that somebody asks.
    pub(super) fn new(spec: &Arc<ModelSpec>, claim: Claim, asking: JoinSet<Told>) -> Self {
        Self {
            spec: Arc::clone(spec),
            claim,
            asking,
            told: None,
            over: false,
        }
    }

    /// The next piece; `None` behind the last one, which an error is.
    pub(super) async fn next(&mut self) -> Option<Result<Piece, OpenAiError>> {
        if self.over {
            return None;
        }
        let next = self.answer().await;
        self.over = !matches!(next, Some(Ok(_)));
        if next.is_none() {
            self.end().await;
        }
        next
    }

    async fn answer(&mut self) -> Option<Result<Piece, OpenAiError>> {
        let answer = match &self.told {
            None => tokio::select! {
                biased;
                answer = self.claim.next() => answer,
                told = self.asking.join_next() => {
                    let told = told.and_then(Result::ok);
                    self.told = Some(told.unwrap_or_else(|| Err(gone(&"nobody asks it"))));
                    // What was answered before is there.
                    self.claim.next().now_or_never().flatten()
                }
            },
            Some(_) => self.claim.next().now_or_never().flatten(),
        };
        match answer {
            Some(Ok(response)) => Some(piece(&self.spec, &response)),
            // Not by whoever waits here.
            Some(Err(SchedulerError::Cancelled)) => Some(Err(gone(&"the request was given up"))),
            Some(Err(error)) => Some(Err(error.into())),
            None if self.claim.is_answered() => None,
            None => Some(Err(self.why().await)),
        }
    }

    /// Why there is no answer.
    async fn why(&mut self) -> OpenAiError {
        let told = match self.told.take() {
            None => self.asking.join_next().await.and_then(Result::ok),
            told => told,
        };
        match told {
            Some(Err(error)) => error,
            _ => gone(&"it has not passed the request on"),
        }
    }

    /// Lets tritonserver end the request, which it may forget.
    async fn end(&mut self) {
        // Either way the connection is closed.
        let _ = timeout(FORGOTTEN, self.asking.join_next()).await;
    }
}

impl fmt::Debug for Replies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replies")
            .field("claim", &self.claim)
            .finish_non_exhaustive()
    }
}
