//! The server process: command line, logs, listeners, start and graceful shutdown.
//!
//! [`Triton`] represents a server as a value. A caretaker, which is a thread with its own runtime,
//! starts the engine, waits for an order to stop, and stops it. Several servers in one process are
//! therefore independent, and their methods may be called from any thread, including `async` code.

#[cfg(not(tritonserver))]
mod absent;
#[cfg(feature = "embedded")]
mod acceptor;
mod addresses;
mod allowed_hosts;
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
#[cfg(feature = "embedded")]
mod connection;
#[cfg(feature = "embedded")]
mod connection_limit;
#[cfg(feature = "embedded")]
mod connection_state;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod connection_state_tests;
#[cfg(feature = "embedded")]
mod coop_poll;
mod described;
mod descriptors;
#[cfg(feature = "embedded")]
mod door;
#[cfg(feature = "embedded")]
mod embedded;
#[cfg(feature = "embedded")]
mod endpoint;
mod error;
#[expect(unsafe_code, reason = "what becomes of a signal is said in C alone")]
mod ffi;
mod foreground;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod half_closed_tests;
#[cfg(feature = "embedded")]
mod handshake;
#[cfg(feature = "embedded")]
mod health_only_connections;
#[cfg(test)]
#[cfg(all(feature = "embedded", tritonserver))]
mod honoured_tests;
#[cfg(feature = "embedded")]
mod host_check;
#[cfg(feature = "embedded")]
mod http2_preface;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod http2_tests;
#[cfg(feature = "embedded")]
mod http_builders;
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
mod protocol;
#[cfg(feature = "embedded")]
mod receive_windows;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod receive_windows_tests;
#[cfg(feature = "embedded")]
mod request_body;
#[cfg(feature = "embedded")]
mod response_body;
#[cfg(feature = "embedded")]
mod router;
mod run;
#[cfg(feature = "embedded")]
mod secured;
#[cfg(feature = "embedded")]
mod serve;
pub(crate) mod settings;
mod signal;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod slow_head_tests;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod slow_reader_tests;
#[cfg(feature = "embedded")]
mod socket_options;
mod started;
#[cfg(feature = "embedded")]
mod stream;
#[cfg(feature = "embedded")]
mod stream_handle;
#[cfg(feature = "embedded")]
mod stream_state;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod streamed_tests;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod tests;
#[cfg(tritonserver)]
mod texts;
#[cfg(feature = "embedded")]
mod tracked_bytes;
#[cfg(feature = "embedded")]
mod tracked_io;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod tracked_io_tests;
mod triton;
#[cfg(tritonserver)]
mod tritonserver;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod unsent_tests;

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
