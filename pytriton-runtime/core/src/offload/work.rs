use std::future::{pending, ready};
use std::sync::LazyLock;

use futures_util::future::{BoxFuture, Either, FutureExt};
use tokio::sync::oneshot;
use tokio::task::block_in_place;

use super::blockable::may_block;
use super::permits::Permits;
use super::threads::{begin, ended, permits};

/// Codecs process up to this many bytes in some tens of microseconds.
const MAX_LIGHT_BYTES: usize = 32 << 10;

/// Above this size, work takes longer than the time slice of a thread when other threads are
/// waiting.
pub(super) const LONG_WORK_BYTES: usize = 512 << 10;

/// As many permits as there are processors: more threads would only compete.
static PERMITS: LazyLock<Permits> = LazyLock::new(|| Permits::new(permits()));

/// The permits for long work, one fewer than processors and separate from the others. Otherwise
/// short work would wait until the system preempts a long computation.
static LONG_WORK_PERMITS: LazyLock<Permits> = LazyLock::new(|| Permits::new(long_permits()));

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
    run(bytes, work, run_in_place).await
}

/// Offloads work on that many bytes, or on input that may expand, to another thread once a permit
/// is free. A paused test clock advances meanwhile.
///
/// # Cancel safety
///
/// If the future is dropped, started work completes and its result is discarded.
///
/// # Panics
///
/// Panics if the work panics.
pub async fn on_thread<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    run(bytes, work, run_on_thread).await
}

/// Work that sends its result.
type Work = Box<dyn FnOnce() + Send>;

/// Runs work with one of the two functions below. They do not depend on the result type and return
/// boxed futures, so that they are compiled once and not for each kind of work.
async fn run<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
    run: fn(usize, Work) -> BoxFuture<'static, ()>,
) -> T {
    let (sender, done) = oneshot::channel();
    // The receiver may be gone.
    let work = move || drop(sender.send(work()));
    run(bytes, Box::new(work)).await;
    match done.await {
        Ok(done) => done,
        // The runtime is shutting down, and so is the waiting task.
        Err(_) => pending().await,
    }
}

fn run_in_place(bytes: usize, work: Work) -> BoxFuture<'static, ()> {
    if bytes <= LONG_WORK_BYTES
        && may_block()
        && let Some(_permit) = PERMITS.try_acquire()
    {
        block_in_place(work);
        return ready(()).boxed();
    }
    run_on_thread(bytes, work)
}

fn run_on_thread(bytes: usize, work: Work) -> BoxFuture<'static, ()> {
    let run = async move {
        let permits = match bytes > LONG_WORK_BYTES {
            true => &LONG_WORK_PERMITS,
            false => &PERMITS,
        };
        let permit = permits.acquire(bytes).await;
        let begun = begin(move || {
            let _permit = permit;
            work();
        });
        ended(begun).await;
    };
    run.boxed()
}
