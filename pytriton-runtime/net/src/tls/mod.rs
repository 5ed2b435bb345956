//! Certificates: the contents of their files, and reloading.

mod certificates;
mod error;
mod expiry;
mod file;
mod files;
mod identity;
mod x509;

pub use certificates::Certificates;
pub use error::CertificateError;
pub use expiry::Expiry;
pub use file::TlsFile;
pub use files::TlsFiles;
pub use identity::inspect;
