//! Certificates: the contents of their files, reloading, and those of clients.

mod certificates;
mod client_certificate;
mod der;
mod error;
mod expiry;
mod file;
mod files;
mod identity;
mod subject;
mod x509;

pub use certificates::Certificates;
pub use client_certificate::ClientCertificate;
pub use error::CertificateError;
pub use expiry::Expiry;
pub use file::TlsFile;
pub use files::TlsFiles;
pub use identity::inspect;
