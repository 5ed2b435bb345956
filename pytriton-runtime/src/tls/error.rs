use std::io;

use thiserror::Error;

use super::TlsFile;

/// An invalid TLS configuration.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A port has TLS but no certificate.
    #[error(
        "TLS for {port} requires a certificate and its private key: set both --{port}-server-cert and --{port}-server-key"
    )]
    NoCertificate {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// A port requires client certificates but has no root certificates.
    #[error(
        "--{port}-use-ssl-mutual requires the root certificates for client certificates: set --{port}-root-cert"
    )]
    NoRoots {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// A certificate is not used by any port.
    #[error(
        "a certificate or a key is set for {port}, but TLS is disabled: set --{port}-use-ssl=true, or remove --{port}-server-cert and --{port}-server-key"
    )]
    Off {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// Root certificates are given, but no port requires client certificates.
    #[error(
        "--{port}-root-cert is set, but client certificates are not required: set --{port}-use-ssl-mutual=true, or remove it"
    )]
    NotMutual {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// HTTP and gRPC share a port but not their TLS options.
    #[error(
        "HTTP and gRPC share a port and must have the same TLS options: set --http-use-ssl and --grpc-use-ssl with the same files, or choose another --grpc-port"
    )]
    Shared,
    /// OpenAI's routes are on the HTTP port but have other TLS options.
    #[error(
        "the OpenAI routes are on the HTTP port, whose TLS options differ from those of --openai-use-ssl: set a separate port with --openai-port, or use the same TLS options for HTTP"
    )]
    NoPort,
    /// The port does not exist.
    #[error(
        "a router has no ports and therefore no TLS: remove --{port}-use-ssl, and enable TLS in the server that contains the router"
    )]
    Router {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// tritonserver supports TLS for gRPC only.
    #[error(
        "tritonserver supports TLS for gRPC only: remove --{port}-use-ssl, use the embedded engine (--engine embedded), or put a proxy in front of tritonserver"
    )]
    Tritonserver {
        /// `http` or `metrics`.
        port: &'static str,
    },
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
