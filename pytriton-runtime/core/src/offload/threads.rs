use std::io;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};
use tokio::task::spawn_blocking;

/// A runtime that only provides the offload threads.
static THREADS: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_current_thread()
        .max_blocking_threads(2 * permits())
        .thread_name("pytriton-heavy")
        .on_thread_start(lower_priority)
        .build()
});

/// Lowers the priority of the current thread. On Linux, niceness applies per thread; with this
/// value a contended processor gives the thread a tenth. See docs/performance.md for the effect on
/// health checks.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Ok(nice) = rustix::process::getpriority_process(None) {
        // The thread may already have the lowest priority.
        let _ = rustix::process::setpriority_process(None, (nice + 10).min(19));
    }
}

pub(super) fn permits() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Runs `work` on one of the threads.
pub(super) fn begin(work: impl FnOnce() + Send + 'static) {
    match &*THREADS {
        Ok(threads) => threads.spawn_blocking(work),
        Err(_) => spawn_blocking(work),
    };
}
