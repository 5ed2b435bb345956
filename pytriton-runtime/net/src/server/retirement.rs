use std::future::poll_fn;
use std::task::{Poll, Waker};

use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError};

use crate::server::connection_state::ConnectionState;

/// The memory that a connection keeps may take this fraction of the budget (a divisor), and at least
/// [`MIN_MAX_BYTES`].
const SHARE_OF_BUDGET: usize = 128;
const MIN_MAX_BYTES: usize = 256 << 10;

/// A connection that keeps this multiple of its share is closed with its streams.
const CLOSE_FACTOR: usize = 2;

/// Whether a connection accepts no further requests because of the memory that it keeps.
#[derive(Debug, Default)]
pub(crate) struct Retirement {
    requested: bool,
    /// Wakes the task of the connection.
    waker: Option<Waker>,
}

/// The maximum memory of one kind that a connection may keep until it ends.
///
/// If it keeps more, it is retired: open streams finish, and the client opens another connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionShare(usize);

impl ConnectionShare {
    pub(crate) fn new(budget: &MemoryBudget) -> Self {
        Self((budget.limit() / SHARE_OF_BUDGET).max(MIN_MAX_BYTES))
    }

    /// Returns the size from which the connection is closed.
    pub(crate) fn close_bytes(self) -> usize {
        self.0.saturating_mul(CLOSE_FACTOR)
    }

    /// Calls `retire` if the connection keeps more than its share.
    ///
    /// # Errors
    ///
    /// Returns an error if it far exceeds its share.
    pub(crate) fn check(
        self,
        bytes: usize,
        retire: impl FnOnce(),
    ) -> Result<(), MemoryBudgetError> {
        if bytes <= self.0 {
            return Ok(());
        }
        retire();
        let limit = self.close_bytes();
        match bytes > limit {
            true => Err(MemoryBudgetError { bytes, limit }),
            false => Ok(()),
        }
    }
}

impl Retirement {
    /// Requests that the connection accepts no further requests. Open streams continue.
    pub(crate) fn request(&mut self) {
        self.requested = true;
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl ConnectionState {
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
