use std::net::SocketAddr;

/// Where a tritonserver listens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// HTTP, if it is served.
    pub http: Option<SocketAddr>,
    /// gRPC, if it is served.
    pub grpc: Option<SocketAddr>,
    /// Metrics, if they are served.
    pub metrics: Option<SocketAddr>,
}

impl Endpoints {
    /// Those that are served.
    pub fn all(&self) -> impl Iterator<Item = SocketAddr> {
        [self.http, self.grpc, self.metrics].into_iter().flatten()
    }
}
