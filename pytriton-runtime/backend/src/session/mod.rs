//! One instance of tritonserver and the worker: two rings, and what its messages speak of.
//!
//! A [`Client`] stands on tritonserver's side and a [`Server`] on the worker's. Both map the rings; each has an arena of
//! its own, of which it hands regions over, and hands the segments of it over the socket before the first message that
//! speaks of one. The socket stays open, and its closing tells the death of the other process.
//!
//! A batch's region is tritonserver's again when the worker says that it is returned: then nobody holds any of its
//! tensors. An answer's region is the worker's again when tritonserver is done with the message. What is not given back
//! when a session ends is never written again, for a new session has new arenas.

mod answering;
mod answers;
mod asked;
mod client;
mod end;
mod error;
mod handshake;
mod lending;
mod outgoing;
mod receiver;
mod server;
mod spare;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;
mod token;

pub use answers::{Answers, Described, Unanswered};
pub use asked::Asked;
pub use client::{Client, Unasked};
pub use error::SessionError;
pub use handshake::{Hello, TensorNames, Welcome};
pub use receiver::{Heard, Receiver};
pub use server::Server;
pub use token::Token;

pub use crate::shm::{Slots, State, Window};
