use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::execution::Executor;
use super::lanes::Lanes;

/// What is kept with an instance: Triton asks whether it is ready from other threads than the one that executes.
#[derive(Debug)]
pub(super) struct State<E> {
    lanes: Mutex<Lanes<E>>,
}

impl<E: Executor> State<E> {
    pub(super) fn new(lanes: Lanes<E>) -> Self {
        Self {
            lanes: Mutex::new(lanes),
        }
    }

    /// The lanes, for the one thread that executes.
    pub(super) fn lanes(&self) -> MutexGuard<'_, Lanes<E>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the instance can execute a batch. Never waits: one that executes is ready.
    pub(super) fn ready(&self) -> bool {
        match self.lanes.try_lock() {
            Ok(lanes) => lanes.ready(),
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Poisoned(lanes)) => lanes.into_inner().ready(),
        }
    }
}
