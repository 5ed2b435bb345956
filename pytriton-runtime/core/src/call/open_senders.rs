use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_util::task::AtomicWaker;

/// Counts the senders that may still respond to the requests of a call.
#[derive(Debug, Default)]
pub(super) struct OpenSenders {
    count: AtomicUsize,
    closed: AtomicWaker,
}

/// A counted sender.
#[derive(Debug)]
pub(super) struct OpenSender(Arc<OpenSenders>);

impl OpenSenders {
    pub(super) fn enter(self: &Arc<Self>) -> OpenSender {
        self.count.fetch_add(1, Ordering::AcqRel);
        OpenSender(Arc::clone(self))
    }

    /// Waits until no sender is left.
    pub(super) async fn closed(&self) {
        poll_fn(|context| {
            self.closed.register(context.waker());
            match self.count.load(Ordering::Acquire) {
                0 => Poll::Ready(()),
                _ => Poll::Pending,
            }
        })
        .await;
    }
}

impl Drop for OpenSender {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.closed.wake();
        }
    }
}
