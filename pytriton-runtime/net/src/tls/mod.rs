//! Certificates: the contents of their files, and reloading.

mod certificates;
mod error;
mod expiry;
mod files;
mod identity;
mod x509;

pub use certificates::Certificates;
pub use error::CertificateError;
pub use expiry::Expiry;
pub use files::{TlsFile, TlsFiles};
pub use identity::inspect;
