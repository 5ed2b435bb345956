//! Connections: creation, pooling, TLS. The only module that uses sockets.

mod channel;
mod connector;
mod error;
mod link;
mod pieces;
mod preface;
mod stream;
mod tls;

pub(crate) use channel::{Channel, ResponseBody};
pub(crate) use error::TransportError;
pub(crate) use link::Link;
pub(crate) use pieces::Pieces;
pub use tls::Tls;
