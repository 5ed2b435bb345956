//! The house around the rooms: command line, logs, listeners, start and graceful stop.

mod banner;
mod check;
mod command;
mod connection;
mod descriptors;
mod endpoint;
mod error;
mod inspect;
mod listener;
mod options;
mod run;
mod serve;
mod signal;
#[cfg(test)]
mod tests;
#[cfg(target_os = "linux")]
mod tritonserver;

pub use banner::{banner, model_line, table};
pub use error::ServerError;
pub use listener::Addresses;
pub use options::Options;
pub use run::run;
pub use serve::Server;
