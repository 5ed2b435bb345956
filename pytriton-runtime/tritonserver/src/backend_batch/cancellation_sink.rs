use std::collections::BTreeMap;
use std::fmt;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use pytriton_core::call::{Cancelled, ModelError, ResponseSink};
use pytriton_core::request::Response;
use tokio::runtime::Handle;

use super::CancellationTimer;

/// Reports cancellation for the requests of a batch whose function sends one response each.
pub(crate) struct CancellationSink<F> {
    /// Returns whether a request is cancelled.
    is_cancelled: F,
    /// Runs the timers, because a function may wait on a thread without a runtime.
    runtime: Handle,
    /// The timers of the requests whose function waits.
    timers: Mutex<BTreeMap<usize, CancellationTimer>>,
}

impl<F: Fn(usize) -> bool + Send + Sync> CancellationSink<F> {
    /// Creates a sink from a function that returns whether a request is cancelled.
    pub(crate) fn new(runtime: &Handle, is_cancelled: F) -> Self {
        Self {
            is_cancelled,
            runtime: runtime.clone(),
            timers: Mutex::default(),
        }
    }
}

impl<F: Fn(usize) -> bool + Send + Sync> ResponseSink for CancellationSink<F> {
    fn poll_send(
        &self,
        _: usize,
        _: &mut Option<Result<Response, ModelError>>,
        _: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        Poll::Ready(Err(Cancelled))
    }

    fn finish(&self, _: usize, _: Result<(), ModelError>) {}

    fn is_cancelled(&self, request: usize) -> bool {
        (self.is_cancelled)(request)
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let _runtime = self.runtime.enter();
        loop {
            if self.is_cancelled(request) {
                return Poll::Ready(());
            }
            let mut timers = self.timers.lock();
            if timers
                .entry(request)
                .or_default()
                .poll(context)
                .is_pending()
            {
                return Poll::Pending;
            }
        }
    }
}

impl<F> fmt::Debug for CancellationSink<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationSink").finish_non_exhaustive()
    }
}
