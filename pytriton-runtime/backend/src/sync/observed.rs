//! A mutex that ThreadSanitizer observes. `std` is not instrumented, and the slow path of its own
//! mutex is not inlined.

use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

unsafe extern "C" {
    // They record an order between threads that name the same address, and do not access it.
    safe fn __tsan_acquire(address: *const c_void);
    safe fn __tsan_release(address: *const c_void);
}

/// Same as in `std`.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T> {
    mutex: std::sync::Mutex<T>,
}

/// Same as in `std`.
#[derive(Debug)]
pub(crate) struct MutexGuard<'m, T> {
    mutex: &'m std::sync::Mutex<T>,
    guard: std::sync::MutexGuard<'m, T>,
}

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        let mutex = std::sync::Mutex::new(value);
        Self { mutex }
    }

    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        match self.mutex.lock() {
            Ok(guard) => Ok(self.locked(guard)),
            Err(poisoned) => Err(PoisonError::new(self.locked(poisoned.into_inner()))),
        }
    }

    pub(crate) fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.mutex.try_lock() {
            Ok(guard) => Ok(self.locked(guard)),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(poisoned)) => {
                Err(PoisonError::new(self.locked(poisoned.into_inner())).into())
            }
        }
    }

    fn locked<'m>(&'m self, guard: std::sync::MutexGuard<'m, T>) -> MutexGuard<'m, T> {
        let mutex = &self.mutex;
        __tsan_acquire((&raw const *mutex).cast());
        MutexGuard { mutex, guard }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        // The mutex itself is unlocked after this.
        __tsan_release((&raw const *self.mutex).cast());
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}
