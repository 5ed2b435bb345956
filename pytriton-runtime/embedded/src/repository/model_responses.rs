use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use pytriton_core::request::{Request, Response};
use pytriton_core::response_channel::SchedulerError;
use pytriton_engine::trace::Scope;
use pytriton_scheduler::ResponseStream;

use super::Model;

/// The responses to one request, as they are produced. Dropping it cancels the request.
pub struct ModelResponses {
    kind: Kind,
    /// The scope of the request, while its responses are produced.
    scope: Scope,
}

enum Kind {
    One(BoxFuture<'static, Result<Response, SchedulerError>>),
    /// Keeps the model, which must observe the cancellation.
    Many {
        stream: ResponseStream,
        _model: Arc<Model>,
    },
    Over,
}

impl Model {
    /// Queues a request and returns its responses as they are produced. A model that is not
    /// decoupled sends exactly one.
    ///
    /// # Errors
    ///
    /// Returns a [`SchedulerError`] if the request is refused.
    pub fn stream_infer(
        self: &Arc<Self>,
        request: Request,
    ) -> Result<ModelResponses, SchedulerError> {
        self.check_open()?;
        self.stream_called(request)
    }

    /// Like [`stream_infer`](Self::stream_infer), for a request of the function of another model.
    pub(super) fn stream_called(
        self: &Arc<Self>,
        request: Request,
    ) -> Result<ModelResponses, SchedulerError> {
        if self.spec.decoupled {
            let stream = self.scheduler.stream(request)?;
            let _model = Arc::clone(self);
            return Ok(ModelResponses::new(Kind::Many { stream, _model }));
        }
        let model = Arc::clone(self);
        let response = async move { model.called(request).await };
        Ok(ModelResponses::new(Kind::One(response.boxed())))
    }
}

impl ModelResponses {
    fn new(kind: Kind) -> Self {
        let scope = Scope::none();
        Self { kind, scope }
    }

    /// Sets the scope of the request.
    pub(crate) fn within(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// Returns whether the last response has been received.
    pub fn are_over(&self) -> bool {
        match &self.kind {
            Kind::One(_) => false,
            Kind::Many { stream, .. } => stream.is_over(),
            Kind::Over => true,
        }
    }

    /// Returns the next response, or `None` after the last one. More responses may follow an error.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: no response is lost.
    pub async fn next(&mut self) -> Option<Result<Response, SchedulerError>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Like [`next`](Self::next).
    pub fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Response, SchedulerError>>> {
        let _within = self.scope.enter();
        let response = match &mut self.kind {
            Kind::One(response) => {
                let response = ready!(response.poll_unpin(context));
                self.kind = Kind::Over;
                Some(response)
            }
            Kind::Many { stream, .. } => ready!(stream.poll_next_unpin(context)),
            Kind::Over => None,
        };
        if let Some(Err(error)) = &response {
            self.scope.fail(error);
        }
        Poll::Ready(response)
    }
}

impl fmt::Debug for ModelResponses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::One(_) => f.write_str("One"),
            Kind::Many { stream, .. } => stream.fmt(f),
            Kind::Over => f.write_str("Over"),
        }
    }
}
