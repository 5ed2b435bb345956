//! The gRPC door: KServe v2 with Triton's extensions, health and reflection. It reads messages and asks the repository.

mod beside;
mod deadline;
mod descriptors;
mod error;
mod framing;
mod health;
mod infer;
mod models;
mod punctual;
mod reflection;
mod routes;
mod service;
mod stream;
#[cfg(test)]
mod tests;

pub use beside::beside;
pub(crate) use beside::is_grpc;
pub use error::GrpcError;
pub(crate) use error::refusal;
pub use routes::routes;
