use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The numbers of the generations that are over, until somebody has heard of them.
#[derive(Debug, Default)]
pub(crate) struct Ended(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    numbers: Vec<u64>,
    hearer: Option<Waker>,
}

impl Ended {
    pub(super) fn tell(&self, number: u64) {
        let mut state = self.lock();
        state.numbers.push(number);
        let hearer = state.hearer.take();
        drop(state);
        // Never under the lock: a task that is woken may be dropped instead, with what it holds.
        hearer.into_iter().for_each(Waker::wake);
    }

    /// Those of which nobody has heard.
    pub(crate) fn take(&self) -> Vec<u64> {
        take(&mut self.lock().numbers)
    }

    /// The same, once there is one.
    pub(crate) fn poll(&self, task: &Context<'_>) -> Poll<Vec<u64>> {
        let mut state = self.lock();
        if state.numbers.is_empty() {
            state.hearer = Some(task.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(take(&mut state.numbers))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
