use std::panic::resume_unwind;
use std::thread;

use tokio::runtime::Builder;

use super::ServerError;
use super::run::runtime;

/// Does something on another thread and waits for it: what waits for a runtime must not do so on a thread of one.
pub(super) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => resume_unwind(panic),
    })
}

/// Waits for something on another thread.
pub(super) fn wait<T: Send>(future: impl Future<Output = T> + Send) -> Result<T, ServerError> {
    apart(|| Ok(runtime(&mut Builder::new_current_thread())?.block_on(future)))
}
