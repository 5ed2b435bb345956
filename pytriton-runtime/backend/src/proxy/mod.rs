//! Moves batches from Triton to the worker, and their responses back.
//!
//! A [`Proxy`] represents an instance whose function runs in the worker. Its route decides which
//! instances may execute its batches: only itself for a sequence model, otherwise any ready
//! instance of the same load.
//!
//! The link connects it, and reconnects when the session ends while the worker lives. A session
//! hands a batch over and waits until it can accept another. With one batch in flight, Triton's
//! calling thread reads the responses. With several, a thread of the session reads them.

mod failure;
mod in_flight;
mod link;
mod load;
mod model;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
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
mod stream_state;
#[cfg(test)]
mod tests;

pub use proxy::{Proxy, SOCKET_VARIABLE, TOKEN_VARIABLE};
