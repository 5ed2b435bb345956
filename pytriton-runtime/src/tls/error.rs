use std::io;

use thiserror::Error;

use super::TlsFile;

/// An invalid TLS configuration.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A port has TLS but no certificate.
    #[error(
        "TLS for {port} needs a certificate and its key: give both --{port}-server-cert and --{port}-server-key"
    )]
    NoCertificate {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// A port requires client certificates but has no root certificates.
    #[error(
        "--{port}-use-ssl-mutual needs the certificates that those of clients are signed with: give --{port}-root-cert"
    )]
    NoRoots {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// A certificate is not used by any port.
    #[error(
        "a certificate or a key is given for {port}, and TLS is off: give --{port}-use-ssl=true too, or leave out \
         --{port}-server-cert and --{port}-server-key"
    )]
    Off {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// Root certificates are given, but no port requires client certificates.
    #[error(
        "--{port}-root-cert is given, and clients need no certificates: give --{port}-use-ssl-mutual=true too, or leave it out"
    )]
    NotMutual {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// HTTP and gRPC share a port but not their TLS options.
    #[error(
        "HTTP and gRPC share a port, so that they must have the same TLS: give the options --http-use-ssl and \
         --grpc-use-ssl, with the same files, or another --grpc-port"
    )]
    Shared,
    /// OpenAI's routes are on the HTTP port but have other TLS options.
    #[error(
        "OpenAI's routes are on the port for HTTP, whose TLS is another than that of --openai-use-ssl: give them a port of their \
         own with --openai-port, or HTTP the same TLS"
    )]
    NoPort,
    /// The port does not exist.
    #[error(
        "a router has no ports of its own, so that it has no TLS: leave out --{port}-use-ssl, and give it to the server that \
         has the router"
    )]
    Router {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// tritonserver supports TLS for gRPC only.
    #[error(
        "tritonserver has TLS for gRPC alone: leave out --{port}-use-ssl, take the embedded engine (--engine embedded), or put a \
         proxy before tritonserver"
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
    #[error("{file} has no {what} in PEM form")]
    Nothing {
        /// The file.
        file: TlsFile,
        /// `certificate` or `private key`.
        what: &'static str,
    },
    /// The private key is encrypted.
    #[error("the private key in {file} is encrypted: take one that is not")]
    Encrypted {
        /// The file.
        file: TlsFile,
    },
    /// The contents of a file are malformed.
    #[error("{file} cannot be understood: {reason}")]
    Damaged {
        /// The file.
        file: TlsFile,
        /// The reason.
        reason: String,
    },
    /// The key does not match the certificate.
    #[error("the private key in {key} does not fit the first certificate in {certificate}")]
    Mismatch {
        /// The file of the certificate.
        certificate: TlsFile,
        /// The file of the key.
        key: TlsFile,
    },
}
