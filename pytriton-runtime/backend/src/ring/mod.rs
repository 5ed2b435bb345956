//! Rings of messages between two processes.
//!
//! A ring has one producer and one consumer. Each side keeps its own position private and publishes
//! it in shared memory: `tail` is the number of messages written, `head` the number released. A
//! consumer without messages sleeps, and so does a producer without a free slot. A side that
//! publishes a position wakes the other, and makes no system call if it is awake.
//!
//! `head` moves when the consumer releases a message, not when it reads it. Until then the consumer
//! owns the data that the message refers to.

mod consumer;
#[cfg(all(not(loom), any(test, feature = "fuzzing")))]
#[doc(hidden)]
pub mod fuzzing;
mod position;
mod producer;
mod sleep;
#[cfg(test)]
#[cfg_attr(
    loom,
    expect(unsafe_code, reason = "memory of which loom sees who uses it")
)]
mod tests;

pub use consumer::Consumer;
pub use position::{Broken, Indices, Message, Ring, Slot};
pub use producer::{Producer, PushError};
pub use sleep::{Closed, Sleep, Sleeper};
