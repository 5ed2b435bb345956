//! The gRPC services: KServe v2 with Triton's extensions, health and reflection.
//!
//! All request messages arrive through `messages` and are decoded within the limit of their method.

mod call;
mod compression;
mod deadline;
mod descriptors;
mod error;
mod forwarded;
mod framed;
mod framing;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod health;
mod infer;
mod logging;
mod message;
mod message_limit;
mod messages;
mod models;
mod reflection;
mod request_ids;
mod response;
mod response_body;
mod routes;
mod service;
mod shared_memory;
mod stream;
mod stream_load;
mod stream_responses;
mod streamed;
#[cfg(test)]
mod tests;
mod timed_body;
mod trace;
mod unary;

pub use error::GrpcError;
pub(crate) use response::GrpcResponse;
pub use routes::routes;
