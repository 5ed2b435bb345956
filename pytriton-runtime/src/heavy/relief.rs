use std::cell::Cell;

use tokio::runtime::{Handle, Id};

thread_local! {
    static RELIEVED: Cell<Option<Id>> = const { Cell::new(None) };
}

/// Says that this thread is of a runtime that has several, and that nothing keeps it from handing over to another of them what it
/// serves: so it may be held by what is not long, which is done sooner than another thread is awake for it.
pub(crate) fn is_relieved() {
    RELIEVED.set(here());
}

/// Whether it may: what runs on it just now could be a runtime of somebody's own.
pub(super) fn may_be_held() -> bool {
    let relieved = RELIEVED.get();
    relieved.is_some() && relieved == here()
}

fn here() -> Option<Id> {
    Handle::try_current().ok().map(|runtime| runtime.id())
}
