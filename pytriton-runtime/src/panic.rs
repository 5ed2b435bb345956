use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Drops the payload of a caught panic. If that panics again, the second payload is leaked.
pub(crate) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Dropping it could panic endlessly.
        let _ = Box::leak(again);
    }
}
