use std::fmt::Display;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use tracing::Span;
use tracing::span::Entered;

use crate::text::for_client;

use super::about::{About, replace};

/// What is around a piece of work for requests: a span, and what lines say that are written within.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(super) span: Span,
    pub(super) about: Option<Arc<About>>,
}

/// As long as this is there a thread works within a scope.
pub(crate) struct Within<'scope> {
    _span: Entered<'scope>,
    /// What it has worked on before, where that is another thing.
    before: Option<Option<Arc<About>>>,
    /// It is for the thread that has begun it.
    _thread: PhantomData<*const ()>,
}

impl Scope {
    /// Nothing.
    pub(crate) const fn none() -> Self {
        Self {
            span: Span::none(),
            about: None,
        }
    }

    /// Whether it is nothing.
    pub(crate) fn is_none(&self) -> bool {
        self.span.is_disabled() && self.about.is_none()
    }

    /// Lets the thread work within it.
    pub(crate) fn enter(&self) -> Within<'_> {
        let about = self.about.as_ref();
        Within {
            _span: self.span.enter(),
            before: about.map(|about| replace(Some(Arc::clone(about)))),
            _thread: PhantomData,
        }
    }

    /// Lets a future work within it, on whatever threads.
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

    /// Says in its span that the work failed.
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
