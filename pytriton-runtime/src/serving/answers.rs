use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};

use crate::request::Response;
use crate::scheduler::{Hearing, SchedulerError};
use crate::trace::Scope;

use super::Model;

/// The answers to one request, as they come. Dropping it gives the request up.
pub struct Answers {
    kind: Kind,
    /// That of the request, as long as it is being answered.
    scope: Scope,
}

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
        Self::new(Kind::One(answer))
    }

    /// Those of a decoupled model.
    pub(super) fn many(hearing: Hearing, model: &Arc<Model>) -> Self {
        let _model = Arc::clone(model);
        Self::new(Kind::Many { hearing, _model })
    }

    fn new(kind: Kind) -> Self {
        let scope = Scope::none();
        Self { kind, scope }
    }

    /// The same of a request that has that scope.
    pub(crate) fn within(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// Whether nothing comes behind what has come.
    pub fn are_over(&self) -> bool {
        match &self.kind {
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
        let _within = self.scope.enter();
        let answer = match &mut self.kind {
            Kind::One(answer) => {
                let answer = ready!(answer.poll_unpin(context));
                self.kind = Kind::Over;
                Some(answer)
            }
            Kind::Many { hearing, .. } => ready!(hearing.poll_next_unpin(context)),
            Kind::Over => None,
        };
        if let Some(Err(error)) = &answer {
            self.scope.fail(error);
        }
        Poll::Ready(answer)
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::One(_) => f.write_str("One"),
            Kind::Many { hearing, .. } => hearing.fmt(f),
            Kind::Over => f.write_str("Over"),
        }
    }
}
