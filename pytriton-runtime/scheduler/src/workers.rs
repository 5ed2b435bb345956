use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::Handle;

/// The connection threads, which may call the functions of models with `inline = true`.
///
/// One of them is never used for this, so that connections are served whatever a function does.
/// However, that thread may be asleep during a long call. Only one thread at a time waits for I/O
/// events, and it may be the one that runs the call. A sentinel then wakes another thread, which
/// continues to wait for events. It starts with the first model with `inline = true`, and before
/// that, no thread may call functions.
#[derive(Debug)]
pub struct Workers {
    most: usize,
    shared: Arc<Shared>,
    runtime: Handle,
    /// `Some(None)` if it could not be started.
    sentinel: OnceLock<Option<Thread>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The number of threads that run a function.
    used: AtomicUsize,
    /// The number of permits acquired so far.
    permits: AtomicU64,
    asleep: AtomicBool,
    ended: AtomicBool,
}

/// How often the sentinel checks for long calls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The number of checks without a call after which it goes to sleep.
const MAX_IDLE_POLLS: u32 = 20;

impl Workers {
    /// Returns the threads of a runtime.
    pub fn of(runtime: &Handle) -> Arc<Self> {
        Arc::new(Self {
            most: runtime.metrics().num_workers().saturating_sub(1),
            shared: Arc::default(),
            runtime: runtime.clone(),
            sentinel: OnceLock::new(),
        })
    }

    /// Starts the sentinel unless it runs.
    pub(super) fn start_sentinel(&self) {
        self.sentinel.get_or_init(|| {
            if self.most == 0 {
                return None;
            }
            let (shared, runtime) = (Arc::clone(&self.shared), self.runtime.clone());
            let thread = thread::Builder::new().name("sentinel".to_owned());
            let thread = thread.spawn(move || shared.watch(&runtime)).ok()?;
            Some(thread.thread().clone())
        });
    }

    /// Spawns a task on them. The current thread may belong to another runtime, or to none.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }

    fn sentinel(&self) -> Option<&Thread> {
        self.sentinel.get()?.as_ref()
    }

    /// Returns the permit to call a function on this thread, or `None` if it is the last one that
    /// serves connections.
    pub(super) fn try_acquire(&self) -> Option<WorkerPermit<'_>> {
        // Without a sentinel, no thread is used.
        let sentinel = self.sentinel()?;
        let shared = &*self.shared;
        let permit = WorkerPermit(shared);
        if shared.used.fetch_add(1, Ordering::AcqRel) >= self.most {
            return None;
        }
        // The order matters: either the sentinel sees the permit, or this thread sees that it
        // sleeps.
        shared.permits.fetch_add(1, Ordering::SeqCst);
        if shared.asleep.load(Ordering::SeqCst) {
            sentinel.unpark();
        }
        Some(permit)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        if let Some(sentinel) = self.sentinel() {
            sentinel.unpark();
        }
    }
}

/// The permit to call a function on a connection thread.
#[derive(Debug)]
pub(super) struct WorkerPermit<'a>(&'a Shared);

impl Drop for WorkerPermit<'_> {
    fn drop(&mut self) {
        self.0.used.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Shared {
    fn watch(&self, runtime: &Handle) {
        let (mut seen, mut quiet) = (0, 0);
        while !self.ended.load(Ordering::SeqCst) {
            let permits = self.permits.load(Ordering::SeqCst);
            let used = self.used.load(Ordering::Acquire) > 0;
            if used && permits == seen {
                // Spawning a task wakes a sleeping thread of the runtime, which then handles
                // pending events.
                runtime.spawn(async {});
            }
            quiet = if used || permits != seen {
                0
            } else {
                quiet + 1
            };
            seen = permits;
            if quiet < MAX_IDLE_POLLS {
                thread::sleep(POLL_INTERVAL);
                continue;
            }
            self.asleep.store(true, Ordering::SeqCst);
            if self.permits.load(Ordering::SeqCst) == seen && !self.ended.load(Ordering::SeqCst) {
                thread::park();
            }
            self.asleep.store(false, Ordering::SeqCst);
            quiet = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 3)]
    async fn last_thread_is_never_acquired() {
        let workers = Workers::of(&Handle::current());
        assert!(workers.try_acquire().is_none());
        workers.start_sentinel();
        let acquire = || workers.try_acquire();
        let (one, two) = (acquire().unwrap(), acquire().unwrap());
        assert!(acquire().is_none());
        drop(one);
        let again = acquire().unwrap();
        assert!(acquire().is_none());
        drop((two, again));
        assert!(acquire().is_some());
    }

    #[tokio::test]
    async fn only_thread_is_never_acquired() {
        let workers = Workers::of(&Handle::current());
        workers.start_sentinel();
        assert!(workers.try_acquire().is_none());
    }
}
