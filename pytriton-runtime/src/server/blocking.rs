use std::panic::resume_unwind;
use std::thread;

use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

use super::ServerError;

/// Runs a closure on a new thread and waits for it. Code that blocks on a runtime must not run on a
/// runtime thread.
pub(super) fn on_new_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => resume_unwind(panic),
    })
}

/// Blocks on a future on a new thread.
pub(super) fn wait<T: Send>(future: impl Future<Output = T> + Send) -> Result<T, ServerError> {
    on_new_thread(|| Ok(runtime(&mut Builder::new_current_thread())?.block_on(future)))
}

/// Returns whether this thread alone runs the tasks of a runtime, so that none of them runs while
/// it blocks.
pub(super) fn blocks_a_runtime() -> bool {
    let flavor = Handle::try_current().map(|runtime| runtime.runtime_flavor());
    flavor.is_ok_and(|flavor| flavor == RuntimeFlavor::CurrentThread)
}

/// Builds a runtime.
pub(super) fn runtime(builder: &mut Builder) -> Result<Runtime, ServerError> {
    builder
        .enable_all()
        .thread_name("pytriton")
        .build()
        .map_err(|source| ServerError::System {
            what: "the runtime",
            source,
        })
}
