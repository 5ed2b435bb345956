use std::io;

use thiserror::Error;

use super::TlsFile;

/// The certificate files of a port cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file cannot be read.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The file.
        file: TlsFile,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A file does not contain the expected PEM item.
    #[error("{file} contains no {what} in PEM format")]
    Nothing {
        /// The file.
        file: TlsFile,
        /// `certificate` or `private key`.
        what: &'static str,
    },
    /// The private key is encrypted.
    #[error("the private key in {file} is encrypted: use an unencrypted key")]
    Encrypted {
        /// The file.
        file: TlsFile,
    },
    /// The contents of a file are malformed.
    #[error("cannot parse {file}: {reason}")]
    Damaged {
        /// The file.
        file: TlsFile,
        /// The reason.
        reason: String,
    },
    /// The key does not match the certificate.
    #[error("the private key in {key} does not match the first certificate in {certificate}")]
    Mismatch {
        /// The file of the certificate.
        certificate: TlsFile,
        /// The file of the key.
        key: TlsFile,
    },
}
