use std::future::{pending, ready};
use std::sync::LazyLock;

use futures_util::future::{BoxFuture, Either};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::block_in_place;

use super::relief::may_be_held;
use super::threads::{begin, ended, places};

/// Of so many bytes codecs make short work: some tens of microseconds.
const LIGHT: usize = 32 << 10;

/// Of more it is long: longer than the system leaves a thread its processor while others wait for one.
pub(super) const LONG: usize = 512 << 10;

/// As many at a time as there are processors: more would take from each other what they have.
static PLACES: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(places()));

/// Of those that are long one less, and beside the others, which they would hold up: whoever is answered at once would wait for a
/// processor until the system takes one away.
static LONG_PLACES: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(long_places()));

pub(super) fn long_places() -> usize {
    places().saturating_sub(1).max(1)
}

/// Does some work on so many bytes: here where they are few, as [`near`] where they are more.
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
        false => Either::Right(Box::pin(near(bytes, work)) as BoxFuture<'static, T>),
    }
}

/// Whether work on so many bytes is best done where one is.
pub(crate) fn is_light(bytes: usize) -> bool {
    bytes <= LIGHT
}

/// Does some work on so many bytes at once, on this thread, where it is not long and others take over what the thread serves; as
/// [`apart`] where not.
///
/// # Cancel safety
///
/// As [`apart`].
///
/// # Panics
///
/// As the work does.
pub(crate) async fn near<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= LONG
        && may_be_held()
        && let Ok(_place) = PLACES.try_acquire()
    {
        return block_in_place(work);
    }
    apart(bytes, work).await
}

/// Does some work on so many bytes, or on what may become many more, on a thread of its own, when it is its turn. A clock that a
/// test has paused goes on meanwhile.
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
    match done.await {
        Ok(done) => done,
        // The runtime is going, and with it whoever waits.
        Err(_) => pending().await,
    }
}

/// The same whatever the work is: it is compiled once.
async fn turn(bytes: usize, work: Box<dyn FnOnce() + Send>) {
    let places = match bytes > LONG {
        true => &LONG_PLACES,
        false => &PLACES,
    };
    // Nobody closes them.
    let place = places.acquire().await.ok();
    let begun = begin(move || {
        let _place = place;
        work();
    });
    ended(begun).await;
}
