use std::cell::Cell;

use tokio::runtime::{Handle, Id};

thread_local! {
    static RELIEVED: Cell<Option<Id>> = const { Cell::new(None) };
}

/// Marks this thread as a worker of a multi-threaded runtime that can hand its tasks over to other
/// workers. Such a thread may be blocked for a moderate time, which is shorter than waking another
/// thread.
pub fn is_relieved() {
    RELIEVED.set(here());
}

/// Returns whether this thread may be blocked. The current runtime may be another one, created by
/// the user.
pub(super) fn may_be_held() -> bool {
    let relieved = RELIEVED.get();
    relieved.is_some() && relieved == here()
}

fn here() -> Option<Id> {
    Handle::try_current().ok().map(|runtime| runtime.id())
}
