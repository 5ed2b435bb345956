//! Rings of messages from one process to another.
//!
//! A ring has one producer and one consumer. Each side keeps its own position to itself and tells the other one in shared
//! memory: `tail` is how many messages there have ever been, `head` how many of them are done with. A consumer that has
//! nothing to do sleeps, and so does a producer without a free slot; whoever changes the position of the other's interest
//! wakes it, and makes no system call where nobody sleeps.
//!
//! `head` moves when the consumer says so, not when it reads: what a message speaks of is the consumer's until then.

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
