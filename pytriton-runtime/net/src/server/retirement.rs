use std::future::poll_fn;
use std::task::{Poll, Waker};

use crate::server::connection_state::ConnectionState;

/// Whether a connection accepts no further requests because of the memory that it keeps.
#[derive(Debug, Default)]
pub(crate) struct Retirement {
    requested: bool,
    /// Wakes the task of the connection.
    waker: Option<Waker>,
}

impl ConnectionState {
    /// Requests that the connection accepts no further requests. Open streams continue.
    pub(crate) fn retire(&self) {
        let mut inner = self.lock();
        inner.retirement.requested = true;
        if let Some(waker) = inner.retirement.waker.take() {
            waker.wake();
        }
    }

    /// Waits until the connection is to accept no further requests.
    pub(crate) async fn retired(&self) {
        poll_fn(|context| {
            let retirement = &mut self.lock().retirement;
            if retirement.requested {
                return Poll::Ready(());
            }
            retirement.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
