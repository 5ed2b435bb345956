use std::collections::BTreeMap;
use std::mem::take;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;

use crate::call::Cancellation;

/// Wakes the calls of a function when its requests are cancelled. The requests store one waker for
/// the function, however many calls it makes.
#[derive(Debug, Default)]
pub(super) struct CancellationWakers(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    next: u64,
    wakers: BTreeMap<u64, Waker>,
}

/// The registration of one call. Dropping it removes its waker.
#[derive(Debug)]
pub(super) struct CancellationWaker {
    wakers: Arc<CancellationWakers>,
    key: u64,
}

impl CancellationWakers {
    /// Registers a call.
    pub(super) fn register(self: &Arc<Self>) -> CancellationWaker {
        let mut state = self.0.lock();
        state.next += 1;
        CancellationWaker {
            wakers: Arc::clone(self),
            key: state.next,
        }
    }
}

impl CancellationWaker {
    /// Waits until the requests are cancelled.
    pub(super) fn poll(&self, cancellation: &Cancellation, context: &mut Context<'_>) -> Poll<()> {
        let waker = context.waker().clone();
        let replaced = self.wakers.0.lock().wakers.insert(self.key, waker);
        drop(replaced);
        let waker = Waker::from(Arc::clone(&self.wakers));
        cancellation.poll_cancelled(&mut Context::from_waker(&waker))
    }
}

impl Drop for CancellationWaker {
    fn drop(&mut self) {
        let removed = self.wakers.0.lock().wakers.remove(&self.key);
        drop(removed);
    }
}

impl Wake for CancellationWakers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let wakers = take(&mut self.0.lock().wakers);
        wakers.into_values().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::task::noop_waker;

    use super::*;

    #[test]
    fn ended_calls_leave_no_waker() {
        let wakers = Arc::new(CancellationWakers::default());
        let calls: Vec<_> = (0..3).map(|_| wakers.register()).collect();
        let waker = noop_waker();
        let count = || wakers.0.lock().wakers.len();
        for _ in 0..2 {
            for call in &calls {
                let polled = call.poll(&Cancellation::default(), &mut Context::from_waker(&waker));
                assert!(polled.is_pending());
            }
        }
        assert_eq!(count(), 3);
        drop(calls);
        assert_eq!(count(), 0);
    }
}
