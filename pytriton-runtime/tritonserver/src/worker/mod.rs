//! The instances behind tritonserver: they run, in this process, the batches that its backend
//! gathers.
//!
//! [`Worker::start`] loads each instance on its own thread and listens on a Unix socket in the
//! given folder. The environment ([`Worker::environment`]) gives tritonserver the socket and a
//! token. It opens a session for each of its instances.
//!
//! With one batch in flight, a free instance of the model serves a session until it ends. With
//! several, a thread per session takes its batches, and any instance of the model runs them.
//!
//! A decoupled model sends its responses one by one while its function runs. With each response the
//! function learns whether its client, the session or the server is gone. See `pytriton_backend`
//! for the transport of batches.

mod error;
mod instance;
mod listener;
mod loads;
mod respond;
mod serve;
mod served_models;
mod session_end;
mod session_sink;
mod session_states;
mod sessions;
#[cfg(test)]
mod stream_tests;
mod streams;
#[cfg(test)]
mod tests;
mod work;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod worker;

use pytriton_engine::options::NoTritonserver;

pub use error::WorkerError;
pub use served_models::ServedModels;
pub use worker::Worker;

/// The shared library of the Triton backend, or the reason why this binary has none.
pub const BACKEND_LIBRARY: Result<&[u8], NoTritonserver> = match pytriton_backend::LIBRARY {
    Ok(library) => Ok(library),
    Err(reason) => Err(NoTritonserver { reason }),
};
/// The name of the backend in a model's configuration. The library is `<name>/libtriton_<name>.so`
/// in the backend directory.
pub const BACKEND_NAME: &str = pytriton_backend::NAME;
