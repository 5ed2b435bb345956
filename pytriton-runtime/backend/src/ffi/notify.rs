//! Wakes the thread that makes a model's batches when an instance is free, and not a moment before.
//!
//! Where a model's queue has a policy, that thread sleeps until an instance waits for a batch. The thread of the instance
//! wakes it after [`execute`](super::execute) has returned, and only then is counted among those who wait. Whoever is woken
//! faster than that finds nobody and sleeps on: for half a second, or until a request comes into the queue, which a full one
//! does not let happen.
//!
//! So the first notification that the thread of an instance makes after a batch is kept until it makes the next, which it
//! does when it has been counted. What Triton calls for it is a function of the C++ library, before which this library is
//! loaded, as `interpose` says; where it is not, nothing is kept.
//!
//! Source: `Payload::Execute`, `RateLimiter::DequeuePayload` and
//! `DynamicBatchScheduler::WaitForPayloadSlotAvailable` in Triton's core, the same from 24.10 to 26.08.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

/// What a thread has yet to tell.
#[derive(Debug)]
struct News {
    /// Whether the next notification is to be kept.
    keep: Cell<bool>,
    /// The condition variable of one that is kept, or null.
    kept: Cell<*mut c_void>,
}

impl News {
    const fn new() -> Self {
        Self {
            keep: Cell::new(false),
            kept: Cell::new(ptr::null_mut()),
        }
    }

    fn notify(&self, condition: *mut c_void, tell: impl Fn(*mut c_void)) {
        if self.keep.take() {
            self.kept.set(condition);
            return;
        }
        tell(condition);
        let kept = self.kept.replace(ptr::null_mut());
        if !kept.is_null() {
            tell(kept);
        }
    }
}

#[cfg(pytriton_library)]
pub(super) use library::batch_is_over;

#[cfg(pytriton_library)]
mod library {
    use std::ffi::c_void;
    use std::mem;
    use std::sync::OnceLock;

    use super::News;
    use crate::ffi::api::next;

    type NotifyOne = unsafe extern "C" fn(*mut c_void);

    thread_local! {
        static NEWS: News = const { News::new() };
    }

    /// Says that this thread, which is an instance's, is about to return to Triton.
    pub(in crate::ffi) fn batch_is_over() {
        NEWS.with(|news| news.keep.set(true));
    }

    /// `std::condition_variable::notify_one()`.
    #[unsafe(export_name = "_ZNSt18condition_variable10notify_oneEv")]
    unsafe extern "C" fn notify_one(condition: *mut c_void) {
        static REAL: OnceLock<usize> = OnceLock::new();
        let real = *REAL.get_or_init(|| next(c"_ZNSt18condition_variable10notify_oneEv").addr());
        if real == 0 {
            std::process::abort();
        }
        // SAFETY: not null, and the function of that name in the C++ library, which has this type.
        let real = unsafe { mem::transmute::<*const c_void, NotifyOne>(real as *const c_void) };
        NEWS.with(|news| {
            news.notify(condition, |condition| {
                // SAFETY: the caller's condition variable, or that of its last call, the scheduler's: it lives until all
                // instances of its model are gone, and this is the thread of one.
                unsafe { real(condition) }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn the_first_news_after_a_batch_comes_behind_the_second() {
        let told = RefCell::new(Vec::new());
        let news = News::new();
        let notify = |number: usize| {
            let condition = ptr::without_provenance_mut(number);
            news.notify(condition, |condition| {
                told.borrow_mut().push(condition.addr())
            });
        };
        notify(1);
        news.keep.set(true);
        (2..=4).for_each(notify);
        news.keep.set(true);
        (5..=6).for_each(notify);
        assert_eq!(*told.borrow(), [1, 3, 2, 4, 6, 5]);
    }
}
