use std::mem::take;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

/// The numbers of ended generations that have not been taken yet.
#[derive(Debug, Default)]
pub(crate) struct Ended(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    numbers: Vec<u64>,
    waker: Option<Waker>,
}

impl Ended {
    pub(super) fn report(&self, number: u64) {
        let mut state = self.0.lock();
        state.numbers.push(number);
        let waker = state.waker.take();
        drop(state);
        // Wake without the lock. The waker may drop its task, and with it data that takes the lock.
        waker.into_iter().for_each(Waker::wake);
    }

    /// Takes the numbers.
    pub(crate) fn take(&self) -> Vec<u64> {
        take(&mut self.0.lock().numbers)
    }

    /// Like [`take`](Self::take), but waits for at least one.
    pub(crate) fn poll(&self, task: &Context<'_>) -> Poll<Vec<u64>> {
        let mut state = self.0.lock();
        if state.numbers.is_empty() {
            state.waker = Some(task.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(take(&mut state.numbers))
    }
}
