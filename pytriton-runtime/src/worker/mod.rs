//! The instances behind tritonserver: they wait in this process for the batches that its backend gathers.
//!
//! [`Worker::start`] loads every instance of every model on a thread of its own and listens on a Unix socket in a folder
//! of the caller's. tritonserver finds socket and token in its environment ([`Worker::environment`]) and opens a session for
//! each of its instances. With one batch in flight a session is given to a free instance of its model, which then serves
//! its batches until it ends, and is free again. With several, a thread of the session's own takes its batches, and any
//! instance of the model runs them. The answers of a decoupled model leave one by one while its function runs, and its function
//! hears at the next that its client, the session or the server goes. How batches travel is told in `pytriton_backend`.

mod answer;
mod claimed;
mod error;
#[cfg(feature = "embedded")]
mod hosted;
mod instance;
mod listener;
mod loads;
mod outlet;
mod serve;
mod sessions;
#[cfg(test)]
mod stream_tests;
mod streams;
#[cfg(test)]
mod tests;
mod work;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod worker;

pub use error::WorkerError;
pub use worker::Worker;

/// The Triton backend's shared library, or why this binary has none.
pub const BACKEND_LIBRARY: Result<&[u8], &str> = pytriton_backend::LIBRARY;
/// Its name in a model's configuration: the library is `<name>/libtriton_<name>.so` in the backend directory.
pub const BACKEND_NAME: &str = pytriton_backend::NAME;
