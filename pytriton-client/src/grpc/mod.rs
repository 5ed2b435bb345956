//! The protocol over gRPC: messages with raw tensors.

mod contents;
mod error;
mod message;
mod shared;
mod streaming;
mod transport;

pub(crate) use streaming::Answers;
pub(crate) use transport::GrpcTransport;
