//! The server process: command line, logs, listeners, start and graceful shutdown.
//!
//! [`Triton`] represents a server as a value. A caretaker, which is a thread with its own runtime,
//! starts the engine, waits for an order to stop, and stops it. Several servers in one process are
//! therefore independent, and their methods may be called from any thread, including `async` code.

#[cfg(not(tritonserver))]
mod absent;
mod addresses;
mod apart;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod arrival_tests;
mod banner;
mod builder;
mod caretaker;
mod check;
#[cfg(feature = "embedded")]
mod checked;
mod command;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod compressed_health_tests;
mod described;
mod descriptors;
#[cfg(feature = "embedded")]
mod embedded;
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
mod limit_options;
#[cfg(feature = "embedded")]
mod listener;
#[cfg(feature = "embedded")]
mod local;
mod locked;
#[cfg(feature = "embedded")]
mod memory;
mod options;
mod order;
#[cfg(feature = "embedded")]
mod platforms;
#[cfg(feature = "embedded")]
mod port_service;
#[cfg(feature = "embedded")]
mod router;
mod run;
#[cfg(feature = "embedded")]
mod secured;
#[cfg(feature = "embedded")]
mod serve;
pub(crate) mod settings;
mod signal;
mod started;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod streamed_tests;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod tests;
#[cfg(tritonserver)]
mod texts;
mod triton;
#[cfg(tritonserver)]
mod tritonserver;

#[cfg(not(tritonserver))]
use absent as inspect;

pub use crate::instance::FatalError;
pub use addresses::{Addresses, TlsPorts};
pub use banner::{model_line, table};
pub use builder::Builder;
pub use error::ServerError;
pub use limit_options::LimitOptions;
#[cfg(feature = "embedded")]
pub use local::Local;
pub use options::Options;
#[cfg(feature = "embedded")]
pub use router::Router;
pub use run::run;
#[cfg(feature = "embedded")]
pub use serve::Server;
pub use settings::{Mistake, Mistakes};
pub use triton::Triton;
