//! The messages of `proto/` and the client of their service. Generated;
//! `tests/generated_is_current.rs` checks that the code is current.

#[allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    clippy::all,
    clippy::missing_errors_doc,
    reason = "generated code, which may or may not need each of them"
)]
#[rustfmt::skip]
#[path = "generated/inference.rs"]
mod inference;
mod parameter;

pub use inference::*;

/// The descriptors of the service and its messages, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("generated/inference.bin");
