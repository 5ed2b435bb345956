//! The gRPC protocol, with raw tensors.

mod contents;
mod error;
mod framing;
mod inference;
mod message;
mod messages;
mod request;
mod response;
mod shared;
mod streaming;
mod transport;

pub(crate) use streaming::ResponseStream;
pub(crate) use transport::GrpcTransport;
