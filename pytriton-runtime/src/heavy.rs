//! Work that takes long, away from the threads that serve connections: whatever these do holds up everybody. Its own threads are
//! nicer than those, which have their turn before them.

use std::future::{pending, ready};
use std::io;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use futures_util::future::{BoxFuture, Either};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinHandle, spawn_blocking};

/// Of so many bytes codecs make short work: some tens of microseconds.
const LIGHT: usize = 32 << 10;

/// Of more it is long: longer than the system leaves a thread its processor while others wait for one.
const LONG: usize = 512 << 10;

/// As many at a time as there are processors: more would take from each other what they have.
static PLACES: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(places()));

/// Of those that are long one less: whoever is answered at once would wait for a processor until the system takes one away.
static LONG_PLACES: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(long_places()));

/// Has these threads, and nothing else.
static THREADS: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_current_thread()
        .max_blocking_threads(places())
        .thread_name("pytriton-heavy")
        .on_thread_start(be_nice)
        .build()
});

/// In which a report is written beside all that is heavy.
static REPORTS: Semaphore = Semaphore::const_new(1);

/// On Linux this is of a thread, and of a processor that others want as well it has a tenth then. docs/performance.md has what
/// health gains by it.
fn be_nice() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}

fn places() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn long_places() -> usize {
    places().saturating_sub(1).max(1)
}

/// Does some work on so many bytes: here where they are few, on a thread of its own where they are more.
///
/// # Cancel safety
///
/// As [`apart`].
///
/// # Panics
///
/// As the work does.
pub(crate) fn by_weight<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = T> + Send {
    // No `async fn`: what waits where the work is light would carry the work, several times.
    match is_light(bytes) {
        true => Either::Left(ready(work())),
        false => Either::Right(Box::pin(apart(bytes, work)) as BoxFuture<'static, T>),
    }
}

/// Whether work on so many bytes is best done where one is.
pub(crate) fn is_light(bytes: usize) -> bool {
    bytes <= LIGHT
}

/// Does some work on so many bytes on a thread of its own, when it is its turn.
///
/// # Cancel safety
///
/// Work that was begun goes on to its end unheard when the future is dropped.
///
/// # Panics
///
/// As the work does.
pub(crate) async fn apart<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, done) = oneshot::channel();
    // Whoever waits may have gone.
    let work = move || drop(sender.send(work()));
    turn(bytes, Box::new(work)).await;
    heard(done).await
}

/// The same whatever the work is: it is compiled once.
async fn turn(bytes: usize, work: Box<dyn FnOnce() + Send>) {
    // Nobody closes them.
    let long = match bytes > LONG {
        true => LONG_PLACES.acquire().await.ok(),
        false => None,
    };
    let place = PLACES.acquire().await.ok();
    let work = move || {
        let _places = (long, place);
        work();
    };
    let begun = match &*THREADS {
        Ok(threads) => threads.spawn_blocking(work),
        Err(_) => spawn_blocking(work),
    };
    ended(begun).await;
}

/// Writes what whoever looks after the server has to see, whatever else is heavy: one at a time.
///
/// # Cancel safety
///
/// As [`apart`].
///
/// # Panics
///
/// As the writing does.
pub(crate) async fn report<T: Send + 'static>(write: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = oneshot::channel();
    // Nobody closes it.
    let place = REPORTS.acquire().await.ok();
    let begun = spawn_blocking(move || {
        let _place = place;
        drop(sender.send(write()));
    });
    ended(begun).await;
    heard(done).await
}

/// Waits for a thread, and panics as it has.
async fn ended(begun: JoinHandle<()>) {
    if let Err(error) = begun.await
        && let Ok(panic) = error.try_into_panic()
    {
        resume_unwind(panic);
    }
}

async fn heard<T>(done: oneshot::Receiver<T>) -> T {
    match done.await {
        Ok(done) => done,
        // The runtime is going, and with it whoever waits.
        Err(_) => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    /// The most that are done at a time of works on so many bytes each, and how often their thread was free meanwhile.
    async fn most(bytes: usize) -> (usize, usize) {
        let most = Arc::new(AtomicUsize::new(0));
        let now = Arc::new(AtomicUsize::new(0));
        let works = (0..20).map(|number| {
            let (most, now) = (Arc::clone(&most), Arc::clone(&now));
            apart(bytes, move || {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sleep(Duration::from_millis(5));
                now.fetch_sub(1, Ordering::SeqCst);
                number
            })
        });
        let mut done = pin!(futures_util::future::join_all(works));
        let mut turns = 0;
        let done = loop {
            match timeout(Duration::from_millis(1), done.as_mut()).await {
                Ok(done) => break done,
                Err(_) => turns += 1,
            }
        };
        assert_eq!(done, (0..20).collect::<Vec<_>>());
        (most.load(Ordering::SeqCst), turns)
    }

    #[tokio::test]
    async fn no_more_at_a_time_than_there_are_places_and_the_thread_is_free() {
        for (bytes, places) in [(LONG, places()), (LONG + 1, long_places())] {
            let (most, turns) = most(bytes).await;
            assert!(most <= places && turns > 0, "{most}, {turns}");
        }
    }

    #[tokio::test]
    async fn a_report_does_not_wait_for_what_is_heavy() {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let receiver = Arc::new(std::sync::Mutex::new(receiver));
        let held: Vec<_> = (0..4 * places())
            .map(|_| {
                let receiver = Arc::clone(&receiver);
                tokio::spawn(apart(LONG, move || drop(receiver.lock().unwrap().recv())))
            })
            .collect();
        let reports = futures_util::future::join_all((0..20).map(|number| report(move || number)));
        let reports = timeout(Duration::from_secs(10), reports).await.unwrap();
        assert_eq!(reports, (0..20).collect::<Vec<_>>());
        assert!(held.iter().all(|heavy| !heavy.is_finished()));
        drop(sender);
        for heavy in held {
            timeout(Duration::from_secs(10), heavy)
                .await
                .unwrap()
                .unwrap();
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn its_threads_are_nicer_than_others() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let here = nice();
        assert!(apart(LONG, nice).await > here);
        assert_eq!(report(nice).await, here);
    }

    #[tokio::test]
    #[should_panic(expected = "of its own")]
    async fn a_panic_is_the_caller_s() {
        apart(1, || panic!("of its own")).await
    }
}
