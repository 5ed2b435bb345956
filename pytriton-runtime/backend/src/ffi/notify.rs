//! Wakes the thread that makes a model's batches when an instance is free, and not a moment before.
//!
//! Where a model's queue has a policy, that thread sleeps until an instance waits for a batch. The
//! thread of the instance wakes it after [`execute`](super::execute) has returned, and only then is
//! counted among those that wait. A thread that is woken faster than that finds no instance and
//! sleeps on: for half a second, or until a request comes into the queue, which a full one does not
//! let happen.
//!
//! So the first notification that the thread of an instance makes after a batch is kept until it
//! makes the next, which it does when it has been counted. What Triton calls for it is a function
//! of the C++ library, before which this library is loaded, as `interpose` says; otherwise nothing
//! is kept.
//!
//! During an unload Triton destroys the scheduler, whose condition variable was notified, before the
//! instances whose threads may have kept the notification. So the destructor of a condition variable
//! is looked up in the same way, and first takes out what is kept for it.
//!
//! Source: `Payload::Execute`, `RateLimiter::DequeuePayload`,
//! `DynamicBatchScheduler::WaitForPayloadSlotAvailable` and `TritonModel::~TritonModel` in Triton's
//! core, the same from 24.10 to 26.06.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The notifications that threads have yet to deliver.
#[derive(Debug)]
struct KeptNotifications {
    /// How many there are, so that most destructors need no lock.
    count: AtomicUsize,
    /// The thread's number and the condition variable's address.
    kept: Mutex<Vec<(usize, usize)>>,
}

impl KeptNotifications {
    const fn new() -> Self {
        Self {
            count: AtomicUsize::new(0),
            kept: Mutex::new(Vec::new()),
        }
    }

    /// Keeps a thread's notification of a condition variable that lives, in the place of an earlier
    /// one.
    fn keep(&self, thread: usize, condition: *mut c_void) {
        let mut kept = self.lock();
        kept.retain(|(other, _)| *other != thread);
        kept.push((thread, condition.addr()));
        self.count.store(kept.len(), Ordering::Release);
    }

    /// Delivers what a thread has kept, unless the condition variable is gone. That cannot be
    /// destroyed while `notify` is called with it.
    fn deliver(&self, thread: usize, notify: impl FnOnce(usize)) {
        let mut kept = self.lock();
        let Some(at) = kept.iter().position(|(other, _)| *other == thread) else {
            return;
        };
        let (_, condition) = kept.swap_remove(at);
        self.count.store(kept.len(), Ordering::Release);
        // Under the lock, for which the destructor waits.
        notify(condition);
        drop(kept);
    }

    /// Takes out what is kept for a condition variable that is about to be destroyed.
    fn forget(&self, condition: *mut c_void) {
        // A notification of it happens before its destruction, and so does what has been kept: it is
        // counted here.
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut kept = self.lock();
        kept.retain(|(_, other)| *other != condition.addr());
        self.count.store(kept.len(), Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(usize, usize)>> {
        // No panic can leave the list inconsistent.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The notifications of one thread.
#[derive(Debug)]
struct ThreadNotifications {
    /// Whether the next notification is to be kept.
    keep: Cell<bool>,
    /// Whether one is kept, unless its condition variable has gone meanwhile.
    kept: Cell<bool>,
}

impl ThreadNotifications {
    const fn new() -> Self {
        Self {
            keep: Cell::new(false),
            kept: Cell::new(false),
        }
    }

    /// Makes a notification, and then the one that was kept before; or keeps it.
    fn notify(
        &self,
        all: &KeptNotifications,
        condition: *mut c_void,
        notify: impl Fn(*mut c_void),
    ) {
        // Tells this thread from all others that live.
        let thread = (&raw const *self).addr();
        if self.keep.take() {
            all.keep(thread, condition);
            self.kept.set(true);
            return;
        }
        notify(condition);
        if self.kept.take() {
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

    use super::{KeptNotifications, ThreadNotifications};
    use crate::ffi::api::next;

    /// A function of a condition variable's alone.
    type Function = unsafe extern "C" fn(*mut c_void);

    static KEPT: KeptNotifications = KeptNotifications::new();

    thread_local! {
        static NOTIFICATIONS: ThreadNotifications = const { ThreadNotifications::new() };
    }

    /// Says that this thread, which is an instance's, is about to return to Triton.
    pub(in crate::ffi) fn batch_is_over() {
        NOTIFICATIONS.with(|notifications| notifications.keep.set(true));
    }

    /// `std::condition_variable::notify_one()`.
    #[unsafe(export_name = "_ZNSt18condition_variable10notify_oneEv")]
    unsafe extern "C" fn notify_one(condition: *mut c_void) {
        static REAL: OnceLock<usize> = OnceLock::new();
        let real = real(&REAL, c"_ZNSt18condition_variable10notify_oneEv");
        // What is kept is used again with its address alone.
        condition.expose_provenance();
        NOTIFICATIONS.with(|notifications| {
            notifications.notify(&KEPT, condition, |condition| {
                // SAFETY: the condition variable is alive: it is the caller's, or one that was kept and whose
                // destructor has not taken it out, which `deliver` keeps from running meanwhile.
                unsafe { real(condition) }
            });
        });
    }

    /// `std::condition_variable::~condition_variable()`, of a whole object.
    #[unsafe(export_name = "_ZNSt18condition_variableD1Ev")]
    unsafe extern "C" fn destroy(condition: *mut c_void) {
        static REAL: OnceLock<usize> = OnceLock::new();
        KEPT.forget(condition);
        let real = real(&REAL, c"_ZNSt18condition_variableD1Ev");
        // SAFETY: the caller's condition variable, which nobody uses any more.
        unsafe { real(condition) }
    }

    /// The same of a part of an object.
    #[unsafe(export_name = "_ZNSt18condition_variableD2Ev")]
    unsafe extern "C" fn destroy_base(condition: *mut c_void) {
        static REAL: OnceLock<usize> = OnceLock::new();
        KEPT.forget(condition);
        let real = real(&REAL, c"_ZNSt18condition_variableD2Ev");
        // SAFETY: as above.
        unsafe { real(condition) }
    }

    /// The function of the C++ library that this one stands before.
    fn real(found: &OnceLock<usize>, name: &'static CStr) -> Function {
        let real = *found.get_or_init(|| next(name).addr());
        if real == 0 {
            std::process::abort();
        }
        // SAFETY: not null, and a function of that name in the C++ library, all of which have this type.
        unsafe { mem::transmute::<*const c_void, Function>(real as *const c_void) }
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
    fn the_first_notification_after_a_batch_comes_behind_the_second() {
        let all = KeptNotifications::new();
        let told = RefCell::new(Vec::new());
        let notifications = ThreadNotifications::new();
        let notify = |number: usize| {
            notifications.notify(&all, without_provenance_mut(number), |condition| {
                told.borrow_mut().push(condition.addr());
            });
        };
        notify(1);
        notifications.keep.set(true);
        (2..=4).for_each(notify);
        notifications.keep.set(true);
        (5..=6).for_each(notify);
        assert_eq!(*told.borrow(), [1, 3, 2, 4, 6, 5]);
        assert_eq!(all.count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_condition_variable_that_is_destroyed_is_notified_by_no_thread() {
        let all = KeptNotifications::new();
        let told = RefCell::new(Vec::new());
        let threads = [(); 3].map(|()| ThreadNotifications::new());
        let notify = |thread: usize, number: usize| {
            threads[thread].notify(&all, without_provenance_mut(number), |condition| {
                told.borrow_mut().push(condition.addr());
            });
        };
        for (thread, condition) in [(0, 7), (1, 7), (2, 8)] {
            threads[thread].keep.set(true);
            notify(thread, condition);
        }
        all.forget(without_provenance_mut(7));
        (0..3).for_each(|thread| notify(thread, 9));
        assert_eq!(*told.borrow(), [9, 9, 9, 8]);
        // One that is at the same address later is another one.
        notify(0, 7);
        assert_eq!(told.borrow().last(), Some(&7));
        assert_eq!(all.count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_condition_variable_is_not_destroyed_while_it_is_notified() {
        let all = KeptNotifications::new();
        all.keep(1, without_provenance_mut(7));
        // One more, so that the destructor takes the lock.
        all.keep(2, without_provenance_mut(8));
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
