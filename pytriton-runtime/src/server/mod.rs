//! The house around the rooms: command line, logs, listeners, start and graceful stop.

mod banner;
mod check;
mod command;
mod connection;
mod endpoint;
mod error;
mod listener;
mod logging;
mod options;
mod run;
mod serve;
mod signal;
#[cfg(test)]
mod tests;

pub use banner::{banner, model_line, table};
pub use error::ServerError;
pub use listener::Addresses;
pub use options::{LogFormat, Options};
pub use run::run;
pub use serve::Server;
