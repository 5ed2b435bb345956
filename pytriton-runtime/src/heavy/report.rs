use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::threads::ended;
use super::work::is_light;

static PLACE: Semaphore = Semaphore::const_new(1);

/// Writes so many bytes that whoever looks after the server has to see, whatever else is heavy: here where they are few, one at a
/// time where they are more.
///
/// # Cancel safety
///
/// What was begun is written to its end unheard when the future is dropped.
///
/// # Panics
///
/// As the writing does.
pub(crate) async fn report<T: Send + 'static>(
    bytes: usize,
    write: impl FnOnce() -> T + Send + 'static,
) -> T {
    if is_light(bytes) {
        return write();
    }
    // Nobody closes it.
    let place = PLACE.acquire().await.ok();
    let begun = spawn_blocking(move || {
        let _place = place;
        write()
    });
    ended(begun).await
}
