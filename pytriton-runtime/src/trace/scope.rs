use std::fmt::Display;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use tracing::Span;
use tracing::span::Entered;

use crate::text::for_client;

use super::about::{About, replace};

/// The context of a piece of work: a span, and the request context of log lines.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(super) span: Span,
    pub(super) about: Option<Arc<About>>,
}

/// Guard: the thread is in the scope until this is dropped.
pub(crate) struct Within<'scope> {
    _span: Entered<'scope>,
    /// The previous context, if it differs.
    before: Option<Option<Arc<About>>>,
    /// Bound to its thread.
    _thread: PhantomData<*const ()>,
}

impl Scope {
    /// An empty scope.
    pub(crate) const fn none() -> Self {
        Self {
            span: Span::none(),
            about: None,
        }
    }

    /// Whether it is empty.
    pub(crate) fn is_none(&self) -> bool {
        self.span.is_disabled() && self.about.is_none()
    }

    /// Enters the scope on this thread.
    pub(crate) fn enter(&self) -> Within<'_> {
        let about = self.about.as_ref();
        Within {
            _span: self.span.enter(),
            before: about.map(|about| replace(Some(Arc::clone(about)))),
            _thread: PhantomData,
        }
    }

    /// Runs a future in the scope, on any thread.
    pub(crate) async fn around<T>(&self, mut work: Pin<&mut impl Future<Output = T>>) -> T {
        if self.is_none() {
            return work.await;
        }
        poll_fn(|context| {
            let _within = self.enter();
            work.as_mut().poll(context)
        })
        .await
    }

    /// Marks the span as failed.
    pub(crate) fn fail(&self, error: &impl Display) {
        if !self.span.is_disabled() {
            self.span.record("otel.status_code", "ERROR");
            self.span
                .record("otel.status_description", for_client(error).as_str());
        }
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            drop(replace(before));
        }
    }
}
