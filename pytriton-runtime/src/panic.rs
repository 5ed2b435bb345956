use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Drops what a caught panic left behind, which may panic once more; what that leaves is kept for ever.
pub(crate) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Dropping it might go on like this without an end.
        let _ = Box::leak(again);
    }
}
