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
    /// Vertex AI's routes, if the embedded engine serves them.
    pub vertex_ai: Option<SocketAddr>,
    /// SageMaker's routes, if the embedded engine serves them.
    pub sagemaker: Option<SocketAddr>,
}

impl Addresses {
    /// The addresses as URLs, with their names.
    pub fn urls(&self) -> impl Iterator<Item = (&'static str, String)> {
        let http = self.http.map(|at| ("http", format!("http://{at}")));
        let grpc = self.grpc.map(|at| ("grpc", format!("grpc://{at}")));
        let metrics = self
            .metrics
            .map(|at| ("metrics", format!("http://{at}/metrics")));
        let openai = self.openai.map(|at| ("openai", format!("http://{at}/v1")));
        let vertex_ai = self.vertex_ai.map(|at| ("vertex", format!("http://{at}")));
        let sagemaker = self
            .sagemaker
            .map(|at| ("sagemaker", format!("http://{at}")));
        [http, grpc, metrics, openai, vertex_ai, sagemaker]
            .into_iter()
            .flatten()
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
