//! The gRPC protocol, with raw tensors.

mod answer;
mod contents;
mod error;
mod framing;
mod inference;
mod message;
mod messages;
mod request;
mod shared;
mod streaming;
mod transport;

pub(crate) use streaming::Answers;
pub(crate) use transport::GrpcTransport;
