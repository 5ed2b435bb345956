//! A model's configuration: built once, written as JSON, as text and as bytes. Pure.
//!
//! [`configuration`] says of a model what its declaration says and what Triton fills in, as a [`Message`] with the names and
//! numbers of `ModelConfig` in `proto/model_config.proto`. What is written of it is [`Message::json`] (an answer over HTTP),
//! [`Message::bytes`] (one over gRPC) and [`Message::text`] (`config.pbtxt`, which leaves the filling in to Triton).

mod batching;
mod bytes;
#[cfg(feature = "embedded")]
mod json;
mod message;
mod model;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod schema_tests;
#[cfg(test)]
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod text;

pub use message::{Field, Message, Scalar, Value};
pub use model::{BACKEND, configuration};
