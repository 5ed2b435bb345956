//! The HTTP/1.1 protocol: a JSON header and binary tensors.

mod base64;
mod body;
mod data;
mod head;
mod header;
mod json;
mod request;
mod response;
mod shared;
mod transport;

pub(crate) use transport::HttpTransport;
