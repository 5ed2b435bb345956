//! The errors of the codecs.

mod codec;
mod document;
mod generate;
mod owner;
mod proto;

pub use codec::CodecError;
pub use document::DocumentError;
pub use generate::GenerateError;
pub use owner::Owner;
pub use proto::ProtoError;
