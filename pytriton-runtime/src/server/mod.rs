//! The house around the rooms: command line, logs, listeners, start and graceful stop.

#[cfg(not(tritonserver))]
mod absent;
#[cfg(feature = "embedded")]
mod acceptor;
mod addresses;
#[cfg(feature = "embedded")]
mod attentive;
mod banner;
mod check;
mod command;
#[cfg(feature = "embedded")]
mod connection;
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
#[cfg(test)]
#[cfg(feature = "embedded")]
mod half_closed_tests;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod http2_tests;
#[cfg(tritonserver)]
mod inspect;
#[cfg(feature = "embedded")]
mod listener;
#[cfg(feature = "embedded")]
mod memory;
#[cfg(feature = "embedded")]
mod offered;
mod options;
#[cfg(feature = "embedded")]
mod places;
#[cfg(feature = "embedded")]
mod received;
#[cfg(feature = "embedded")]
mod reserve;
mod run;
#[cfg(feature = "embedded")]
mod serve;
mod signal;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod slow_head_tests;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod tests;
#[cfg(feature = "embedded")]
mod traffic;
#[cfg(tritonserver)]
mod tritonserver;
#[cfg(feature = "embedded")]
mod wire;

#[cfg(not(tritonserver))]
use absent as inspect;

pub use addresses::Addresses;
pub use banner::{banner, model_line, table};
pub use error::ServerError;
pub use options::Options;
pub use run::run;
#[cfg(feature = "embedded")]
pub use serve::Server;
