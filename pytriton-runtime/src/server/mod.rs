//! The server process: command line, logs, listeners, start and graceful shutdown.
//!
//! [`Triton`] represents a server as a value. A supervisor, which is a thread with its own runtime,
//! starts the engine, waits for an order to stop, and stops it. Several servers in one process are
//! therefore independent, and their methods may be called from any thread, including `async` code.

#[cfg(test)]
#[cfg(feature = "embedded")]
mod arrival_tests;
mod banner;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod blocked_log_tests;
mod blocking;
mod builder;
mod check;
mod command;
mod command_docs;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod compressed_health_tests;
mod descriptors;
#[cfg(feature = "embedded")]
mod embedded;
#[cfg(feature = "embedded")]
mod embedded_engine;
mod engine;
mod error;
#[expect(unsafe_code, reason = "what becomes of a signal is said in C alone")]
mod ffi;
mod foreground;
#[cfg(test)]
#[cfg(all(feature = "embedded", tritonserver))]
mod honoured_tests;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod inline_tests;
#[cfg(tritonserver)]
mod inspect;
#[cfg(feature = "embedded")]
mod local;
#[cfg(all(tritonserver, not(feature = "embedded")))]
mod no_sidecar;
#[cfg(not(tritonserver))]
mod no_tritonserver;
#[cfg(feature = "embedded")]
mod router;
mod run;
mod shutdown_phase;
mod signal;
mod signature_check;
mod supervisor;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod tests;
mod triton;
#[cfg(tritonserver)]
mod tritonserver;
#[cfg(tritonserver)]
mod tritonserver_engine;

#[cfg(all(tritonserver, not(feature = "embedded")))]
use no_sidecar::SidecarServer;
#[cfg(not(tritonserver))]
use no_tritonserver as inspect;
#[cfg(all(tritonserver, feature = "embedded"))]
use pytriton_embedded::server::SidecarServer;

pub use crate::instance::FatalError;
pub use banner::{model_line, table};
pub use builder::Builder;
pub use error::ServerError;
#[cfg(feature = "embedded")]
pub use local::Local;
#[cfg(feature = "embedded")]
pub use pytriton_embedded::{Router, server::Server};
pub use pytriton_engine::options::{LimitOptions, Options, OptionsError};
pub use pytriton_engine::settings::{ValidationError, ValidationErrors};
pub use pytriton_engine::{Addresses, PortAddress};
pub use run::run;
pub use triton::Triton;
