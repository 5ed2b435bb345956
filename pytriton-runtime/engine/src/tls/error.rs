use pytriton_net::tls::CertificateError;
use thiserror::Error;

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
    /// The files of a port cannot be used.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}
