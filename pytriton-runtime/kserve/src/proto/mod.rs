//! The gRPC codec: converts messages to requests, and responses and model descriptions to messages.

mod bounded;
mod bounded_error;
mod contents;
mod extent;
mod field_count;
mod log_settings;
mod metadata;
mod outputs;
mod parameters;
mod pieces;
mod region;
mod request;
mod response_writer;
mod statistics;
#[cfg(test)]
mod tests;
mod trace_settings;
mod varint;

pub use bounded::{BoundedMessage, decode};
pub use bounded_error::BoundedError;
pub use log_settings::{change_log, log_settings};
pub use metadata::{metadata, server_metadata};
pub use parameters::decode_parameters;
pub use pieces::Pieces;
pub use request::request;
pub use response_writer::{Envelope, FINAL, ResponseWriter, WrittenResponse};
pub use statistics::statistics;
pub use trace_settings::{trace_changes, trace_settings};
