//! Wakes the thread that forms a model's batches exactly when an instance is free.
//!
//! If a model has a queue policy, that thread sleeps until an instance waits for a batch. The
//! thread of the instance wakes it after [`execute`](super::execute) has returned, and only then is
//! counted as waiting. If the batching thread wakes up faster than that, it finds no free instance.
//! It then sleeps for half a second, or until another request is queued, which a full queue
//! prevents.
//!
//! So the first notification that the thread of an instance sends after a batch is delayed. It is
//! sent with the thread's next notification, after the thread has been counted. Triton sends both
//! through a function of the C++ library, which this library replaces as `interpose` does. If it is
//! not preloaded, nothing is delayed.
//!
//! During an unload, Triton destroys the scheduler and its condition variable before the instances
//! whose threads may hold a delayed notification. So this library also replaces the destructor of a
//! condition variable, and removes the notifications delayed for it first.
//!
//! Source: `Payload::Execute`, `RateLimiter::DequeuePayload`,
//! `DynamicBatchScheduler::WaitForPayloadSlotAvailable` and `TritonModel::~TritonModel` in Triton's
//! core, the same from 24.10 to 26.06 and in `main` at 73aad7c of June 2026. The sources for 26.07
//! to 26.11 have not been read.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The notifications that threads have delayed.
#[derive(Debug)]
struct DelayedNotifications {
    /// The number of notifications, so that most destructors need no lock.
    count: AtomicUsize,
    /// The thread's number and the address of the condition variable.
    delayed: Mutex<Vec<(usize, usize)>>,
}

impl DelayedNotifications {
    const fn new() -> Self {
        Self {
            count: AtomicUsize::new(0),
            delayed: Mutex::new(Vec::new()),
        }
    }

    /// Stores a thread's notification of a live condition variable, replacing an earlier one.
    fn delay(&self, thread: usize, condition: *mut c_void) {
        let mut delayed = self.lock();
        delayed.retain(|(other, _)| *other != thread);
        delayed.push((thread, condition.addr()));
        self.count.store(delayed.len(), Ordering::Release);
    }

    /// Delivers the delayed notification of a thread, unless its condition variable is gone. The
    /// variable cannot be destroyed while `notify` is called with it.
    fn deliver(&self, thread: usize, notify: impl FnOnce(usize)) {
        let mut delayed = self.lock();
        let Some(at) = delayed.iter().position(|(other, _)| *other == thread) else {
            return;
        };
        let (_, condition) = delayed.swap_remove(at);
        // Still counted and under the lock, so that the destructor waits.
        notify(condition);
        self.count.store(delayed.len(), Ordering::Release);
    }

    /// Removes the notifications of a condition variable that is about to be destroyed. When this
    /// returns, `deliver` does not use it, and will not use it later.
    fn forget(&self, condition: *mut c_void) {
        // Calls of `notify_one` happen before the destruction of their condition variable, so a
        // notification that they have delayed is counted here until it has been delivered.
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut delayed = self.lock();
        delayed.retain(|(_, other)| *other != condition.addr());
        self.count.store(delayed.len(), Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(usize, usize)>> {
        // No panic can leave the list inconsistent.
        self.delayed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The notifications of one thread.
#[derive(Debug)]
struct ThreadNotifications {
    /// Whether the next notification must be delayed.
    delay: Cell<bool>,
    /// Whether one is delayed, unless its condition variable was destroyed in the meantime.
    delayed: Cell<bool>,
}

impl ThreadNotifications {
    const fn new() -> Self {
        Self {
            delay: Cell::new(false),
            delayed: Cell::new(false),
        }
    }

    /// Sends a notification and then the delayed one, or delays it.
    fn notify(
        &self,
        all: &DelayedNotifications,
        condition: *mut c_void,
        notify: impl Fn(*mut c_void),
    ) {
        // Unique among all live threads.
        let thread = (&raw const *self).addr();
        if self.delay.take() {
            all.delay(thread, condition);
            self.delayed.set(true);
            return;
        }
        notify(condition);
        if self.delayed.take() {
            all.deliver(thread, |condition| {
                notify(std::ptr::with_exposed_provenance_mut(condition));
            });
        }
    }
}

#[cfg(pytriton_library)]
pub(super) use library::batch_is_over;

#[cfg(pytriton_library)]
mod library {
    use std::ffi::{CStr, c_void};
    use std::mem;
    use std::sync::OnceLock;

    use super::{DelayedNotifications, ThreadNotifications};
    use crate::ffi::api::next;

    /// A function whose only argument is a condition variable.
    type Function = unsafe extern "C" fn(*mut c_void);

    static DELAYED: DelayedNotifications = DelayedNotifications::new();

    thread_local! {
        static NOTIFICATIONS: ThreadNotifications = const { ThreadNotifications::new() };
    }

    /// Records that this thread, which belongs to an instance, is about to return to Triton.
    pub(in crate::ffi) fn batch_is_over() {
        NOTIFICATIONS.with(|notifications| notifications.delay.set(true));
    }

    /// `std::condition_variable::notify_one()`.
    #[unsafe(export_name = "_ZNSt18condition_variable10notify_oneEv")]
    unsafe extern "C" fn notify_one(condition: *mut c_void) {
        static REAL: OnceLock<Function> = OnceLock::new();
        let real = real(&REAL, c"_ZNSt18condition_variable10notify_oneEv");
        // A delayed notification is later sent with the address only.
        condition.expose_provenance();
        NOTIFICATIONS.with(|notifications| {
            notifications.notify(&DELAYED, condition, |condition| {
                // SAFETY: the condition variable is alive. It is the caller's, or one that
                // `deliver` has found. Its destructor then waits in `forget` until this call has
                // returned.
                unsafe { real(condition) }
            });
        });
    }

    /// `std::condition_variable::~condition_variable()`, for a complete object.
    #[unsafe(export_name = "_ZNSt18condition_variableD1Ev")]
    unsafe extern "C" fn destroy(condition: *mut c_void) {
        static REAL: OnceLock<Function> = OnceLock::new();
        DELAYED.forget(condition);
        let real = real(&REAL, c"_ZNSt18condition_variableD1Ev");
        // SAFETY: the caller destroys its condition variable once, and nothing else uses it any
        // more: neither the caller's threads, nor `deliver` after `forget`.
        unsafe { real(condition) }
    }

    /// The same for a base class subobject.
    #[unsafe(export_name = "_ZNSt18condition_variableD2Ev")]
    unsafe extern "C" fn destroy_base(condition: *mut c_void) {
        static REAL: OnceLock<Function> = OnceLock::new();
        DELAYED.forget(condition);
        let real = real(&REAL, c"_ZNSt18condition_variableD2Ev");
        // SAFETY: as above.
        unsafe { real(condition) }
    }

    /// Returns the function of the C++ library that this one replaces.
    fn real(found: &OnceLock<Function>, name: &'static CStr) -> Function {
        *found.get_or_init(|| {
            let real = next(name);
            if real.is_null() {
                std::process::abort();
            }
            // SAFETY: not null, and the function of that name in the C++ library. All three take
            // `this` and return nothing.
            unsafe { mem::transmute::<*const c_void, Function>(real) }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ptr::without_provenance_mut;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn first_notification_after_a_batch_is_sent_after_the_second() {
        let all = DelayedNotifications::new();
        let notified = RefCell::new(Vec::new());
        let notifications = ThreadNotifications::new();
        let notify = |number: usize| {
            notifications.notify(&all, without_provenance_mut(number), |condition| {
                notified.borrow_mut().push(condition.addr());
            });
        };
        notify(1);
        notifications.delay.set(true);
        (2..=4).for_each(notify);
        notifications.delay.set(true);
        (5..=6).for_each(notify);
        assert_eq!(*notified.borrow(), [1, 3, 2, 4, 6, 5]);
        assert_eq!(all.count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn destroyed_condition_variable_is_not_notified() {
        let all = DelayedNotifications::new();
        let notified = RefCell::new(Vec::new());
        let threads = [(); 3].map(|()| ThreadNotifications::new());
        let notify = |thread: usize, number: usize| {
            threads[thread].notify(&all, without_provenance_mut(number), |condition| {
                notified.borrow_mut().push(condition.addr());
            });
        };
        for (thread, condition) in [(0, 7), (1, 7), (2, 8)] {
            threads[thread].delay.set(true);
            notify(thread, condition);
        }
        all.forget(without_provenance_mut(7));
        (0..3).for_each(|thread| notify(thread, 9));
        assert_eq!(*notified.borrow(), [9, 9, 9, 8]);
        // A later condition variable at the same address is a different one.
        notify(0, 7);
        assert_eq!(notified.borrow().last(), Some(&7));
        assert_eq!(all.count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn condition_variable_outlives_its_notification() {
        let all = DelayedNotifications::new();
        all.delay(1, without_provenance_mut(7));
        let (destroyed, is_destroyed) = channel();
        thread::scope(|scope| {
            all.deliver(1, |condition| {
                assert_eq!(condition, 7);
                let all = &all;
                scope.spawn(move || {
                    all.forget(without_provenance_mut(7));
                    destroyed.send(()).unwrap();
                });
                let early = is_destroyed.recv_timeout(Duration::from_millis(20));
                assert!(early.is_err(), "it is destroyed while it is notified");
            });
            is_destroyed.recv_timeout(Duration::from_secs(10)).unwrap();
        });
    }
}
