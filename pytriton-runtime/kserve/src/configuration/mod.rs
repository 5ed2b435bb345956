//! Model configurations: built once, written as JSON, protobuf text and protobuf bytes. Pure.
//!
//! [`configuration`] combines a model's declaration with Triton's defaults in a [`Message`], with
//! the field names and numbers of `ModelConfig` in `proto/model_config.proto`. The outputs are
//! [`Message::json`] (for HTTP), [`Message::bytes`] (for gRPC) and [`Message::text`]
//! (`config.pbtxt`, without Triton's defaults).

mod batching;
mod bytes;
mod json;
mod message;
mod model;
#[cfg(test)]
mod schema_tests;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod table;
#[cfg(test)]
mod tests;
mod text;

pub use message::{Field, Message, Scalar, Value};
pub use model::{BACKEND, configuration};
