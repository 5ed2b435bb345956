//! Certificates: configuration of the ports, contents of the files, and reloading.

#[cfg(feature = "embedded")]
mod certificates;
mod error;
mod expiry;
mod files;
mod identity;
mod options;
mod plan;
mod x509;

#[cfg(feature = "embedded")]
pub use certificates::Certificates;
pub use error::TlsError;
pub use expiry::Expiry;
pub use files::{TlsFile, TlsFiles};
#[cfg(tritonserver)]
pub use identity::inspect;
pub use options::{TlsFlags, TlsOptions};
pub use plan::TlsPlan;
