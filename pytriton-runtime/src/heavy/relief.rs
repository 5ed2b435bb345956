use std::cell::Cell;

use tokio::runtime::{Handle, RuntimeFlavor};

thread_local! {
    static RELIEVED: Cell<bool> = const { Cell::new(false) };
}

/// Says that this thread is of a runtime with several, and that nothing keeps it from handing over to another of them what it
/// serves: so it may be held by what is not long, which is done sooner than another thread is awake for it.
pub(crate) fn is_relieved() {
    RELIEVED.set(true);
}

/// Whether it may: what runs on it just now could be a runtime of somebody's own.
pub(super) fn may_be_held() -> bool {
    let flavor = || Handle::try_current().map(|runtime| runtime.runtime_flavor());
    RELIEVED.get() && matches!(flavor(), Ok(RuntimeFlavor::MultiThread))
}
