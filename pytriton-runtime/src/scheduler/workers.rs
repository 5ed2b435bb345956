use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::Handle;

/// The threads that serve connections, which are lent to functions for the time of a short call.
///
/// One of them is never lent, so that connections are served whatever a function does. It may sleep when a call turns out to
/// be long, while the thread that is lent was the one to be woken by the next bytes: a sentinel wakes it then.
#[derive(Debug)]
pub struct Workers {
    most: usize,
    shared: Arc<Shared>,
    sentinel: Option<Thread>,
}

#[derive(Debug, Default)]
struct Shared {
    lent: AtomicUsize,
    /// How many loans there have been.
    loans: AtomicU64,
    asleep: AtomicBool,
    ended: AtomicBool,
}

/// How often the sentinel looks, and after how many looks at nothing it goes to sleep.
const LOOK: Duration = Duration::from_millis(5);
const LOOKS: u32 = 20;

impl Workers {
    /// Those of a runtime.
    pub fn of(runtime: &Handle) -> Arc<Self> {
        let shared = Arc::new(Shared::default());
        let most = runtime.metrics().num_workers().saturating_sub(1);
        let sentinel = (most > 0).then(|| {
            let (shared, runtime) = (Arc::clone(&shared), runtime.clone());
            let thread = thread::Builder::new().name("sentinel".to_owned());
            thread.spawn(move || shared.watch(&runtime)).ok()
        });
        let sentinel = sentinel.flatten().map(|thread| thread.thread().clone());
        Arc::new(Self {
            // Without a sentinel nothing is lent.
            most: sentinel.as_ref().map_or(0, |_| most),
            shared,
            sentinel,
        })
    }

    /// The thread that asks, unless it is the last.
    pub(super) fn lend(&self) -> Option<Loan<'_>> {
        let shared = &*self.shared;
        let loan = Loan(shared);
        if shared.lent.fetch_add(1, Ordering::AcqRel) >= self.most {
            return None;
        }
        // In this order: either the sentinel sees the loan, or it is seen to sleep.
        shared.loans.fetch_add(1, Ordering::SeqCst);
        if shared.asleep.load(Ordering::SeqCst)
            && let Some(sentinel) = &self.sentinel
        {
            sentinel.unpark();
        }
        Some(loan)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        if let Some(sentinel) = &self.sentinel {
            sentinel.unpark();
        }
    }
}

/// A thread that is lent.
#[derive(Debug)]
pub(super) struct Loan<'a>(&'a Shared);

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.0.lent.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Shared {
    fn watch(&self, runtime: &Handle) {
        let (mut seen, mut quiet) = (0, 0);
        while !self.ended.load(Ordering::SeqCst) {
            let loans = self.loans.load(Ordering::SeqCst);
            let lent = self.lent.load(Ordering::Acquire) > 0;
            if lent && loans == seen {
                // Whichever thread of the runtime sleeps wakes for it, and sees to what has come.
                runtime.spawn(async {});
            }
            quiet = if lent || loans != seen { 0 } else { quiet + 1 };
            seen = loans;
            if quiet < LOOKS {
                thread::sleep(LOOK);
                continue;
            }
            self.asleep.store(true, Ordering::SeqCst);
            if self.loans.load(Ordering::SeqCst) == seen && !self.ended.load(Ordering::SeqCst) {
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
    async fn the_last_is_not_lent() {
        let workers = Workers::of(&Handle::current());
        let (one, two) = (workers.lend().unwrap(), workers.lend().unwrap());
        assert!(workers.lend().is_none());
        drop(one);
        let again = workers.lend().unwrap();
        assert!(workers.lend().is_none());
        drop((two, again));
        assert!(workers.lend().is_some());
    }

    #[tokio::test]
    async fn nor_is_the_only_one() {
        assert!(Workers::of(&Handle::current()).lend().is_none());
    }
}
