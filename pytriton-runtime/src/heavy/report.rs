use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::threads::ended;

static PLACE: Semaphore = Semaphore::const_new(1);

/// Writes what whoever looks after the server has to see, whatever else is heavy: one at a time.
///
/// # Cancel safety
///
/// What was begun is written to its end unheard when the future is dropped.
///
/// # Panics
///
/// As the writing does.
pub(crate) async fn report<T: Send + 'static>(write: impl FnOnce() -> T + Send + 'static) -> T {
    // Nobody closes it.
    let place = PLACE.acquire().await.ok();
    let begun = spawn_blocking(move || {
        let _place = place;
        write()
    });
    ended(begun).await
}
