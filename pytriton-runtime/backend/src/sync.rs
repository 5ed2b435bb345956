//! Atomics of `std`, or of loom where it looks at every interleaving.

#[cfg(not(loom))]
pub(crate) use std::hint::spin_loop as pause;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, Ordering};
#[cfg(loom)]
pub(crate) use loom::thread::yield_now as pause;
