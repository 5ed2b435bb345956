use std::future::pending;
use std::panic::resume_unwind;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::work::is_light;

static PLACE: Semaphore = Semaphore::const_new(1);

/// Writes about `bytes` bytes for an operator, such as metrics, independently of other offloaded
/// work. Short writes run on this thread; longer ones are offloaded, one at a time.
///
/// # Cancel safety
///
/// If the future is dropped, a started write completes and its result is discarded.
///
/// # Panics
///
/// Panics if `write` panics.
pub async fn report<T: Send + 'static>(
    bytes: usize,
    write: impl FnOnce() -> T + Send + 'static,
) -> T {
    if is_light(bytes) {
        return write();
    }
    // The semaphore is never closed.
    let place = PLACE.acquire().await.ok();
    let begun = spawn_blocking(move || {
        let _place = place;
        write()
    });
    match begun.await.map_err(|error| error.try_into_panic()) {
        Ok(written) => written,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime is shutting down, and so is the waiting task.
        Err(Err(_)) => pending().await,
    }
}
