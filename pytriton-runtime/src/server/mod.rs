//! The server process: command line, logs, choice of the engine, start and graceful shutdown.
//!
//! [`Triton`] represents a server as a value. A supervisor, which is a thread with its own runtime,
//! starts the engine, waits for an order to stop, and stops it. Several servers in one process are
//! therefore independent, and their methods may be called from any thread, including `async` code.

mod banner;
mod blocking;
mod builder;
mod check;
mod choice;
mod chosen_engine;
mod cli;
mod command;
mod command_docs;
mod current_supervisor;
mod descriptors;
#[cfg_attr(not(feature = "embedded"), path = "no_embedded.rs")]
mod embedded;
mod engine;
mod engine_reason;
mod error;
#[expect(
    unsafe_code,
    reason = "signal actions can only be set through the C library"
)]
mod ffi;
mod foreground;
#[cfg(test)]
#[cfg(all(feature = "embedded", tritonserver))]
mod honoured_tests;
#[cfg(feature = "embedded")]
mod in_process;
mod run;
mod shutdown_phase;
#[cfg(tritonserver)]
#[cfg_attr(not(feature = "embedded"), path = "no_sidecar.rs")]
mod sidecar;
mod signal;
mod signature_check;
mod supervisor;
mod triton;
#[cfg_attr(not(tritonserver), path = "no_tritonserver.rs")]
mod tritonserver;

pub use pytriton_engine::logging::AccessLogFormat;
pub use pytriton_engine::options::{LimitOptions, Options, OptionsError, OverrideOptions};
pub use pytriton_engine::settings::{ValidationError, ValidationErrors};
pub use pytriton_engine::{Addresses, PortAddress};

pub use crate::instance::FatalError;
pub use banner::{model_line, table};
pub use builder::Builder;
pub use cli::{App, ArgumentClash, Cli};
#[cfg(feature = "test-util")]
pub use embedded::advance;
#[cfg(feature = "embedded")]
pub use embedded::{EmbeddedError, Server};
pub use error::ServerError;
#[cfg(feature = "embedded")]
pub use in_process::{Local, Router};
pub use triton::Triton;
#[cfg(tritonserver)]
pub use tritonserver::{FindError, TritonserverError};
