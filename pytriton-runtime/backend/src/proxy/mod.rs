//! The way of a batch from Triton to the worker, and of its answers back.
//!
//! A [`Proxy`] stands for an instance whose function runs in the worker. Its link connects it, and connects it again when
//! the session ends while the worker lives. A session hands batches over and waits until one more may follow: with one
//! batch in flight the thread on which Triton calls reads the answers itself, with several a thread of the session does.

mod course;
mod flight;
mod link;
mod load;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod proxy;
mod respond;
mod session;
#[cfg(test)]
mod tests;

pub use proxy::{Proxy, SOCKET_VARIABLE, TOKEN_VARIABLE};
