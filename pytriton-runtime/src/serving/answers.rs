use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};

use crate::request::Response;
use crate::scheduler::{Hearing, SchedulerError};

use super::Model;

/// The answers to one request, as they come. Dropping it gives the request up.
pub struct Answers(Kind);

enum Kind {
    One(BoxFuture<'static, Result<Response, SchedulerError>>),
    /// With their model, which is told when nobody waits for answers any longer.
    Many {
        hearing: Hearing,
        _model: Arc<Model>,
    },
    Over,
}

impl Answers {
    /// The only answer of a model that is not decoupled.
    pub(super) fn one(answer: BoxFuture<'static, Result<Response, SchedulerError>>) -> Self {
        Self(Kind::One(answer))
    }

    /// Those of a decoupled model.
    pub(super) fn many(hearing: Hearing, model: &Arc<Model>) -> Self {
        let _model = Arc::clone(model);
        Self(Kind::Many { hearing, _model })
    }

    /// Whether nothing comes behind what has come.
    pub fn are_over(&self) -> bool {
        match &self.0 {
            Kind::One(_) => false,
            Kind::Many { hearing, .. } => hearing.is_over(),
            Kind::Over => true,
        }
    }

    /// The next answer; `None` behind the last one. An error may be followed by other answers.
    ///
    /// # Cancel safety
    ///
    /// No answer is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Response, SchedulerError>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// As [`next`](Self::next).
    pub fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Response, SchedulerError>>> {
        match &mut self.0 {
            Kind::One(answer) => {
                let answer = ready!(answer.poll_unpin(context));
                self.0 = Kind::Over;
                Poll::Ready(Some(answer))
            }
            Kind::Many { hearing, .. } => hearing.poll_next_unpin(context),
            Kind::Over => Poll::Ready(None),
        }
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::One(_) => f.write_str("One"),
            Kind::Many { hearing, .. } => hearing.fmt(f),
            Kind::Over => f.write_str("Over"),
        }
    }
}
