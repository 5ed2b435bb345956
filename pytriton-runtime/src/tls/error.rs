use std::io;

use thiserror::Error;

use super::TlsFile;

/// Why there is no TLS as it is asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A port has TLS and no certificate.
    #[error(
        "TLS for {port} needs a certificate and its key: give both --{port}-server-cert and --{port}-server-key"
    )]
    NoCertificate {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// A port asks its clients for certificates and cannot tell whose are good.
    #[error(
        "--{port}-use-ssl-mutual needs the certificates that those of clients are signed with: give --{port}-root-cert"
    )]
    NoRoots {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// A certificate that no port uses.
    #[error(
        "a certificate or a key is given for {port}, and TLS is off: give --{port}-use-ssl=true too, or leave out \
         --{port}-server-cert and --{port}-server-key"
    )]
    Off {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// Certificates that those of clients are signed with, of which no port asks clients.
    #[error(
        "--{port}-root-cert is given, and clients need no certificates: give --{port}-use-ssl-mutual=true too, or leave it out"
    )]
    NotMutual {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// HTTP and gRPC share a port, and not their TLS.
    #[error(
        "HTTP and gRPC share a port, so that they must have the same TLS: give the options --http-use-ssl and \
         --grpc-use-ssl, with the same files, or another --grpc-port"
    )]
    Shared,
    /// OpenAI's routes are on the port for HTTP, and not their TLS.
    #[error(
        "OpenAI's routes are on the port for HTTP, whose TLS is another than that of --openai-use-ssl: give them a port of their \
         own with --openai-port, or HTTP the same TLS"
    )]
    NoPort,
    /// There is no port.
    #[error(
        "a router has no ports of its own, so that it has no TLS: leave out --{port}-use-ssl, and give it to the server that \
         has the router"
    )]
    Router {
        /// `http`, `grpc`, `metrics` or `openai`.
        port: &'static str,
    },
    /// tritonserver has no TLS but that of gRPC.
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
        /// Which.
        file: TlsFile,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file has nothing of what it is for.
    #[error("{file} has no {what} in PEM form")]
    Nothing {
        /// Which.
        file: TlsFile,
        /// `certificate` or `private key`.
        what: &'static str,
    },
    /// A key is encrypted.
    #[error("the private key in {file} is encrypted: take one that is not")]
    Encrypted {
        /// Its file.
        file: TlsFile,
    },
    /// What stands in a file is damaged.
    #[error("{file} cannot be understood: {reason}")]
    Damaged {
        /// Which.
        file: TlsFile,
        /// Why.
        reason: String,
    },
    /// A key is of another certificate.
    #[error("the private key in {key} does not fit the first certificate in {certificate}")]
    Mismatch {
        /// The file of the certificate.
        certificate: TlsFile,
        /// The file of the key.
        key: TlsFile,
    },
}
