//! The way of a batch from Triton to the worker, and of its answers back.
//!
//! A [`Proxy`] stands for an instance whose function runs in the worker. Its route says which
//! instances may execute its batches: where requests belong to sequences it alone, otherwise any
//! instance of the same load while it cannot. The link connects it, and connects it again when the
//! session ends while the worker lives. A session hands batches over and waits until one more may
//! follow: with one batch in flight the thread on which Triton calls reads the answers itself, with
//! several a thread of the session does.

mod course;
mod flight;
mod link;
mod load;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod proxy;
mod remote;
mod respond;
mod route;
mod session;
#[cfg(test)]
mod simulated_worker;
#[cfg(test)]
mod stalled_tests;
#[cfg(test)]
mod tests;

pub use proxy::{Proxy, SOCKET_VARIABLE, TOKEN_VARIABLE};
