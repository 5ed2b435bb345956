use std::net::SocketAddr;

use super::Options;

/// The addresses at which the server can be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The HTTP address, if HTTP is served.
    pub http: Option<SocketAddr>,
    /// The gRPC address, if gRPC is served.
    pub grpc: Option<SocketAddr>,
    /// The metrics address, if metrics are served.
    pub metrics: Option<SocketAddr>,
    /// The address of the OpenAI routes, if a model has them.
    pub openai: Option<SocketAddr>,
    /// The address of the interactive docs page, if it is served.
    pub docs: Option<SocketAddr>,
    /// The address of the Vertex AI routes, if the embedded engine serves them.
    pub vertex_ai: Option<SocketAddr>,
    /// The address of the SageMaker routes, if the embedded engine serves them.
    pub sagemaker: Option<SocketAddr>,
    /// The ports that use TLS.
    pub tls: TlsPorts,
}

/// The ports that use TLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TlsPorts {
    /// HTTP, Vertex AI and SageMaker.
    pub http: bool,
    /// gRPC.
    pub grpc: bool,
    /// Metrics.
    pub metrics: bool,
    /// OpenAI routes.
    pub openai: bool,
    /// Docs page.
    pub docs: bool,
}

impl Addresses {
    /// Returns the name and the URL of each address.
    pub fn urls(&self) -> impl Iterator<Item = (&'static str, String)> {
        let url = |name, at: Option<SocketAddr>, scheme, tls, path| {
            let secure = if tls { "s" } else { "" };
            at.map(|at| (name, format!("{scheme}{secure}://{at}{path}")))
        };
        let tls = &self.tls;
        [
            url("http", self.http, "http", tls.http, ""),
            url("grpc", self.grpc, "grpc", tls.grpc, ""),
            url("metrics", self.metrics, "http", tls.metrics, "/metrics"),
            url("openai", self.openai, "http", tls.openai, "/v1"),
            url("docs", self.docs, "http", tls.docs, "/docs"),
            url("vertex", self.vertex_ai, "http", tls.http, ""),
            url("sagemaker", self.sagemaker, "http", tls.http, ""),
        ]
        .into_iter()
        .flatten()
    }
}

#[cfg(feature = "embedded")]
impl Addresses {
    /// Returns the ports that do not serve the docs page: protocol, port, and whether it uses TLS.
    pub(super) fn beside_docs(&self) -> impl Iterator<Item = (&'static str, u16, bool)> {
        let http = self.http.filter(|_| self.docs != self.http);
        let port = |name, at: Option<SocketAddr>, tls| at.map(|at| (name, at.port(), tls));
        let ports = [
            port("http", http, self.tls.http),
            port("grpc", self.grpc, self.tls.grpc),
        ];
        ports.into_iter().flatten()
    }
}

/// Returns whether HTTP and gRPC share one port.
pub(super) fn shared(options: &Options) -> bool {
    options.allow_http
        && options.allow_grpc
        && options.http_port != 0
        && options.http_port == options.grpc_port
        && options.http_address == options.grpc_address
}
