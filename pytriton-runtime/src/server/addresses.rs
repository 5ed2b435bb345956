use std::net::SocketAddr;

use super::Options;

/// Where the server can be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Addresses {
    /// HTTP, if it is served.
    pub http: Option<SocketAddr>,
    /// gRPC, if it is served.
    pub grpc: Option<SocketAddr>,
    /// Metrics, if they are served.
    pub metrics: Option<SocketAddr>,
    /// OpenAI's routes, if a model has them.
    pub openai: Option<SocketAddr>,
    /// The page about the models, if there is one.
    pub docs: Option<SocketAddr>,
    /// Vertex AI's routes, if the embedded engine serves them.
    pub vertex_ai: Option<SocketAddr>,
    /// SageMaker's routes, if the embedded engine serves them.
    pub sagemaker: Option<SocketAddr>,
    /// Which of them are reached over TLS.
    pub tls: TlsPorts,
}

/// Which ports have TLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TlsPorts {
    /// That for HTTP, and those of the platforms.
    pub http: bool,
    /// That for gRPC.
    pub grpc: bool,
    /// That for metrics.
    pub metrics: bool,
    /// That of OpenAI's routes.
    pub openai: bool,
    /// That of the page.
    pub docs: bool,
}

impl Addresses {
    /// The addresses as URLs, with their names.
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
    /// The ports that programs ask, which the page is not on: what is spoken there, and whether over TLS.
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

/// Whether HTTP and gRPC are asked for on one port.
pub(super) fn shared(options: &Options) -> bool {
    options.allow_http
        && options.allow_grpc
        && options.http_port != 0
        && options.http_port == options.grpc_port
        && options.http_address == options.grpc_address
}
