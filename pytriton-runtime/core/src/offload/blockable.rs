use std::cell::Cell;

use tokio::runtime::{Handle, Id};

thread_local! {
    static BLOCKABLE: Cell<Option<Id>> = const { Cell::new(None) };
}

/// Marks this thread as a worker of a multi-threaded runtime that can hand its tasks over to other
/// workers. Such a thread may be blocked for a moderate time, which is shorter than waking another
/// thread.
pub fn mark_blockable() {
    BLOCKABLE.set(here());
}

/// Returns whether this thread may be blocked. The current runtime may be another one, created by
/// the user.
pub(super) fn may_block() -> bool {
    let blockable = BLOCKABLE.get();
    blockable.is_some() && blockable == here()
}

/// Returns whether this thread is [marked](mark_blockable). It is then in the context of its
/// runtime, unless user code has entered another one.
pub(crate) fn is_marked() -> bool {
    BLOCKABLE.get().is_some()
}

fn here() -> Option<Id> {
    Handle::try_current().ok().map(|runtime| runtime.id())
}
