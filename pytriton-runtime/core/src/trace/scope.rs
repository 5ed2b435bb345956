use std::fmt::Display;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use tracing::Span;
use tracing::span::Entered;

use crate::text::for_client;

use super::log_context::{LogContext, replace};

/// The context of a piece of work: a span, and the requests that log lines name.
#[derive(Debug, Clone)]
pub struct Scope {
    pub(super) span: Span,
    pub(super) log_context: Option<Arc<LogContext>>,
}

/// Keeps a thread within a scope until dropped.
#[derive(Debug)]
pub struct Within<'scope> {
    _span: Entered<'scope>,
    /// The previous requests of the thread, if they were replaced.
    before: Option<Option<Arc<LogContext>>>,
    /// Not `Send`: the guard belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl Scope {
    /// Returns an empty scope.
    pub const fn none() -> Self {
        Self {
            span: Span::none(),
            log_context: None,
        }
    }

    /// Returns whether the scope is empty.
    pub fn is_none(&self) -> bool {
        self.span.is_disabled() && self.log_context.is_none()
    }

    /// Enters the scope on this thread.
    pub fn enter(&self) -> Within<'_> {
        let log_context = self.log_context.as_ref();
        Within {
            _span: self.span.enter(),
            before: log_context.map(|log_context| replace(Some(Arc::clone(log_context)))),
            _thread: PhantomData,
        }
    }

    /// Polls a future within the scope, on any thread.
    pub async fn around<T>(&self, mut work: Pin<&mut impl Future<Output = T>>) -> T {
        if self.is_none() {
            return work.await;
        }
        poll_fn(|context| {
            let _within = self.enter();
            work.as_mut().poll(context)
        })
        .await
    }

    /// Records in its span that the work failed.
    pub fn fail(&self, error: &impl Display) {
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
