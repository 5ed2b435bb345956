use std::future::pending;
use std::io;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, spawn_blocking};

/// Has the threads of heavy work, and nothing else.
static THREADS: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_current_thread()
        .max_blocking_threads(2 * places())
        .thread_name("pytriton-heavy")
        .on_thread_start(be_nice)
        .build()
});

/// On Linux this is of a thread, and of a processor that others want as well it has a tenth then. docs/performance.md has what
/// health gains by it.
fn be_nice() {
    #[cfg(target_os = "linux")]
    if let Ok(nice) = rustix::process::getpriority_process(None) {
        // It may be the nicest already.
        let _ = rustix::process::setpriority_process(None, (nice + 10).min(19));
    }
}

pub(super) fn places() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Does some work on one of them.
pub(super) fn begin(work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    match &*THREADS {
        Ok(threads) => threads.spawn_blocking(work),
        Err(_) => spawn_blocking(work),
    }
}

/// Waits for what a thread does, and panics as it has.
pub(super) async fn ended<T>(begun: JoinHandle<T>) -> T {
    match begun.await.map_err(|error| error.try_into_panic()) {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime is going, and with it whoever waits.
        Err(Err(_)) => pending().await,
    }
}
