use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::Loaded;
use super::raw::RawRequest;

/// How long the threads of the models may take to return from their start or their last request. If
/// a model is deleted before, Triton reads from an empty queue (`StopBackendThread`), and crashes.
pub(super) const SETTLE_TIME: Duration = Duration::from_millis(300);

/// The requests of a server that are not deleted.
///
/// A request holds its model. If the model was unloaded in the meantime, the deletion of its last
/// request deletes it. So that this does not happen on a thread of the model, or before that has
/// returned from the request, the deletion is delayed.
#[derive(Debug)]
pub(super) struct Requests {
    library: &'static Loaded,
    unfinished: AtomicUsize,
    /// The number of unloads that have begun.
    begun: AtomicUsize,
    /// The number of unloads that have ended.
    ended: AtomicUsize,
    delayed: Mutex<Delayed>,
}

#[derive(Debug, Default)]
struct Delayed {
    /// The requests, and when they are deleted, in this order.
    queue: VecDeque<(Instant, Unused)>,
    /// Whether a thread deletes them.
    has_thread: bool,
}

/// The number of unloads that had ended before a request was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent(usize);

/// A request that must be deleted, because Triton does not use it any more.
#[derive(Debug)]
#[must_use]
pub(super) struct Unused(pub(super) *mut RawRequest);

// SAFETY: any thread may delete a request.
unsafe impl Send for Unused {}

impl Requests {
    pub(super) fn new(library: &'static Loaded) -> Arc<Self> {
        Arc::new(Self {
            library,
            unfinished: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            delayed: Mutex::default(),
        })
    }

    /// Returns the number of requests that are not deleted.
    pub(super) fn unfinished(&self) -> usize {
        // Pairs with the additions and subtractions below.
        self.unfinished.load(Ordering::Acquire)
    }

    /// Records that a request is about to be sent.
    pub(super) fn sending(&self) -> Sent {
        self.unfinished.fetch_add(1, Ordering::AcqRel);
        Sent(self.ended.load(Ordering::SeqCst))
    }

    /// Records that a request was not sent.
    pub(super) fn not_sent(&self) {
        self.unfinished.fetch_sub(1, Ordering::AcqRel);
    }

    /// Pauses until the threads of idle models wait for requests, and unloads models.
    pub(super) fn unloading<T>(&self, unload: impl FnOnce() -> T) -> T {
        self.begun.fetch_add(1, Ordering::SeqCst);
        thread::sleep(SETTLE_TIME);
        let unloaded = unload();
        self.ended.fetch_add(1, Ordering::SeqCst);
        unloaded
    }

    /// Deletes a request, later if a model was unloaded since it was sent.
    pub(super) fn delete(self: &Arc<Self>, request: Unused, Sent(ended): Sent) {
        if self.begun.load(Ordering::SeqCst) == ended {
            self.delete_now(request);
            return;
        }
        let mut delayed = self.delayed.lock();
        let due = Instant::now() + SETTLE_TIME;
        delayed.queue.push_back((due, request));
        if delayed.has_thread {
            return;
        }
        let requests = Arc::clone(self);
        let thread = thread::Builder::new().name("delete".to_owned());
        match thread.spawn(move || requests.delete_delayed()) {
            Ok(_) => delayed.has_thread = true,
            // The next request of these tries again, and `unfinished` counts this one until then.
            Err(error) => tracing::warn!(%error, "cannot delete a request of Triton's core"),
        }
    }

    fn delete_delayed(&self) {
        loop {
            let (due, request) = {
                let mut delayed = self.delayed.lock();
                let Some(next) = delayed.queue.pop_front() else {
                    delayed.has_thread = false;
                    return;
                };
                next
            };
            thread::sleep(due.saturating_duration_since(Instant::now()));
            self.delete_now(request);
        }
    }

    fn delete_now(&self, Unused(raw): Unused) {
        // SAFETY: Triton does not use the request any more (invariant 4), and `State::unused` has
        // cleared the only other pointer.
        let error = unsafe { (self.library.api.request_delete)(raw) };
        if let Err(error) = self.library.check(error) {
            tracing::warn!(%error, "cannot delete a request of Triton's core");
        }
        self.unfinished.fetch_sub(1, Ordering::AcqRel);
    }
}
