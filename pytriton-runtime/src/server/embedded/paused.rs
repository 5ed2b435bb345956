//! The embedded engine with a paused clock, for tests.

use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::time;

use crate::server::blocking::runtime;
use crate::server::chosen_engine::Plan;
use crate::server::shutdown_phase::ShutdownReceiver;
use crate::server::supervisor::Progress;
use crate::server::{Builder as ServerBuilder, ServerError};

use super::serve::serve_on;

/// The real time that a stop may take before the clock advances by itself.
const STOP_TIME: Duration = Duration::from_secs(1);

impl ServerBuilder {
    /// Pauses the clock of the embedded engine. Queue delays, timeouts and timers of tokio fire only
    /// when the test calls [`advance`]. If the server takes longer than a second to stop, the clock
    /// advances by itself, so that the stop does not wait for functions that sleep.
    pub fn start_paused(mut self) -> Self {
        self.paused = true;
        self
    }
}

/// Advances the paused clock of a test. All timers that are due have fired when this returns, but
/// the tasks that wait for them may not have run yet.
///
/// # Panics
///
/// Panics if the clock is not paused, and outside of the engine's runtime.
pub async fn advance(duration: Duration) {
    // The thread that runs the timers must do this itself, because it notices no change of the
    // clock while it sleeps.
    let advanced = Handle::current().spawn(async move {
        time::advance(duration).await;
        // The timers run when all tasks have run.
        tokio::task::yield_now().await;
    });
    if let Err(panic) = advanced.await {
        resume_unwind(panic.into_panic());
    }
}

/// Same as [`serve`](super::serve::serve), with a paused clock. Only the runtime of one thread can
/// pause it.
pub(super) fn serve(
    plan: &Plan,
    shutdown: ShutdownReceiver,
    progress: &Progress,
) -> Result<(), ServerError> {
    let workers = runtime(Builder::new_current_thread().start_paused(true))?;
    let (end, ended) = mpsc::channel::<()>();
    // When all tasks wait, tokio advances a paused clock, unless a blocking task is running. Tasks
    // that wait for a function, which runs on another thread, must not time out.
    workers.spawn_blocking(move || {
        let _ = ended.recv();
        thread::sleep(STOP_TIME);
    });
    let mut stop = shutdown.clone();
    workers.spawn(async move {
        // Otherwise the stop would wait forever for an `async` function that sleeps.
        stop.stop().await;
        drop(end);
    });
    let done = serve_on(&workers, &workers, plan, shutdown, progress);
    workers.shutdown_background();
    done
}
