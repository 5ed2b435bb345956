//! The flags of tritonserver that the command line accepts and passes on.

mod flag;
#[expect(clippy::module_inception, reason = "the type of the same name")]
mod flags;

#[cfg(test)]
pub(crate) use flag::Kind;
pub use flag::is_secret;
pub(crate) use flag::{Embedded, FLAGS};
pub use flags::Flags;

/// The heading for tritonserver's flags in `--help`.
pub(crate) const HEADING: &str = "Options of the tritonserver engine";

/// The flag that restricts groups of HTTP endpoints.
pub(crate) const HTTP_RESTRICTED_API: &str = "http-restricted-api";

/// The flag that restricts groups of gRPC methods.
pub(crate) const GRPC_RESTRICTED_PROTOCOL: &str = "grpc-restricted-protocol";
