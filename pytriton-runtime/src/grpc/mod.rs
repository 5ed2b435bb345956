//! The gRPC door: KServe v2 with Triton's extensions, health and reflection. It reads messages and asks the reception.

mod answers;
mod call;
mod compression;
mod content_type;
mod deadline;
mod descriptors;
mod error;
mod forwarded;
mod framing;
mod head;
mod health;
mod infer;
mod interleaved;
mod logging;
mod message;
mod messages;
mod method;
mod models;
mod punctual;
mod reflection;
mod routes;
mod service;
mod shared_memory;
mod stream;
mod stream_load;
mod streamed;
#[cfg(test)]
mod tests;
mod told;
mod trace;

pub(crate) use content_type::is_grpc;
pub use error::GrpcError;
pub(crate) use error::refusal;
pub use routes::routes;
