//! KServe v2 codecs: bytes to requests and responses to bytes. Pure: no I/O, no tasks.

mod error;
pub mod proto;

pub use error::CodecError;
