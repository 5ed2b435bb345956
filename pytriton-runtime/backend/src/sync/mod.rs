//! Synchronization primitives: those of `std`, of loom in tests of interleavings, or instrumented
//! ones for ThreadSanitizer.

#[cfg(all(not(loom), sanitizer = "thread"))]
#[expect(unsafe_code, reason = "the functions of the sanitizer")]
mod observed;

#[cfg(all(test, loom))]
pub(crate) use loom::sync::Arc;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
#[cfg(all(not(loom), sanitizer = "thread"))]
pub(crate) use observed::{Mutex, MutexGuard};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
#[cfg(not(any(loom, sanitizer = "thread")))]
pub(crate) use std::sync::{Mutex, MutexGuard};
