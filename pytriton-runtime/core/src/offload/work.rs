use std::future::{pending, ready};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::thread;

use futures_util::future::{BoxFuture, Either};
use tokio::sync::oneshot;
use tokio::task::block_in_place;

use super::blockable::may_block;
use super::queue::{Work, WorkQueue};
use super::threads::permits;

/// Codecs process up to this many bytes in some tens of microseconds.
const MAX_LIGHT_BYTES: usize = 32 << 10;

/// Above this size, work takes longer than the time slice of a thread when other threads are
/// waiting.
pub(super) const LONG_WORK_BYTES: usize = 512 << 10;

/// As many threads as there are processors: more would only compete.
static WORK: LazyLock<WorkQueue> = LazyLock::new(|| WorkQueue::new(permits()));

/// The threads for long work, one fewer than processors and separate from the others. Otherwise
/// short work would wait until the system preempts a long computation.
static LONG_WORK: LazyLock<WorkQueue> = LazyLock::new(|| WorkQueue::new(long_permits()));

pub(super) fn long_permits() -> usize {
    permits().saturating_sub(1).max(1)
}

/// Runs work on that many bytes: on this thread if it is light, otherwise like
/// [`in_place_or_on_thread`].
///
/// # Cancel safety
///
/// Same as [`on_thread`].
///
/// # Panics
///
/// Panics if the work panics.
pub fn by_weight<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = T> + Send {
    // Not an `async fn`: for light work, its future would still store the work several times.
    match is_light(bytes) {
        true => Either::Left(ready(work())),
        false => {
            Either::Right(Box::pin(in_place_or_on_thread(bytes, work)) as BoxFuture<'static, T>)
        }
    }
}

/// Returns whether work on that many bytes should run on the current thread.
pub fn is_light(bytes: usize) -> bool {
    bytes <= MAX_LIGHT_BYTES
}

/// Runs work on that many bytes on this thread if it is not long and other workers can take over
/// the tasks of the thread. Otherwise like [`on_thread`].
///
/// # Cancel safety
///
/// Same as [`on_thread`].
///
/// # Panics
///
/// Panics if the work panics.
pub async fn in_place_or_on_thread<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let pending = Pending::new(work);
    run_in_place_or_on_thread(bytes, &pending.work);
    pending.result().await
}

/// Offloads work on that many bytes, or on input that may expand, to another thread once one is
/// free. A paused test clock advances meanwhile.
///
/// # Cancel safety
///
/// If the future is dropped, work that has not started is dropped as well. Otherwise it completes,
/// and its result is discarded.
///
/// # Panics
///
/// Panics if the work panics.
pub async fn on_thread<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let pending = Pending::new(work);
    run_on_thread(bytes, &pending.work);
    pending.result().await
}

/// The result of work, or its panic.
type Outcome<T> = thread::Result<T>;

/// Waits for the result of work, and cancels the work if this is dropped before it starts.
struct Pending<T> {
    outcome: oneshot::Receiver<Outcome<T>>,
    work: Work,
}

impl<T: Send + 'static> Pending<T> {
    fn new(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (sender, outcome) = oneshot::channel();
        let work = Work::new(move || {
            // The panic continues in the caller.
            let outcome = catch_unwind(AssertUnwindSafe(work));
            // The receiver may be gone.
            drop(sender.send(outcome));
        });
        Self { outcome, work }
    }

    async fn result(mut self) -> T {
        match (&mut self.outcome).await {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => resume_unwind(panic),
            // The process is ending, and so is the waiting task.
            Err(_) => pending().await,
        }
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.work.cancel();
    }
}

fn run_in_place_or_on_thread(bytes: usize, work: &Work) {
    if bytes <= LONG_WORK_BYTES
        && may_block()
        && let Some(_permit) = WORK.try_acquire()
    {
        block_in_place(|| work.run());
    } else {
        run_on_thread(bytes, work);
    }
}

fn run_on_thread(bytes: usize, work: &Work) {
    let queue = match bytes > LONG_WORK_BYTES {
        true => &LONG_WORK,
        false => &WORK,
    };
    queue.run(bytes, work.clone());
}
