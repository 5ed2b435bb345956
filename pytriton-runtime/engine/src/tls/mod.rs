//! TLS configuration of the ports.

mod error;
mod options;
mod plan;

pub use error::TlsError;
pub use options::{TlsFlags, TlsOptions};
pub use plan::{grpc_uses_tls, plan};
pub use pytriton_net::tls::{CertificateError, Certificates, Expiry, TlsFile, TlsFiles, inspect};
