//! A session between one instance of tritonserver and the worker: two rings, and the memory that
//! their messages refer to.
//!
//! A [`Client`] is tritonserver's side, a [`Server`] the worker's. Both map the rings. Each has its
//! own arena and hands out regions of it. The descriptor of a segment is sent over the socket
//! before the first message that refers to it. The socket stays open, and its end of file signals
//! that the other process is gone.
//!
//! The region of a batch belongs to tritonserver again when the worker reports it as returned: then
//! no tensor refers to it. The region of a response belongs to the worker again when tritonserver
//! has released the message. A region that is not returned when a session ends is never written
//! again, because a new session has new arenas.

mod buffer_pool;
mod client;
mod end;
mod error;
mod handshake;
mod outgoing;
mod received_batch;
mod receiver;
mod region_returns;
mod respond;
mod responses;
mod server;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;
mod token;

pub use client::{AllocatedBatch, Client};
pub use error::SessionError;
pub use handshake::{Hello, TensorNames, Welcome};
pub use received_batch::ReceivedBatch;
pub use receiver::{BatchMessage, Receiver};
pub use responses::{AllocatedResponses, EncodedResponses, ResponseEntry};
pub use server::Server;
pub use token::Token;

pub use crate::shm::{Slots, State, Window};
