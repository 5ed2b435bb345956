use std::net::SocketAddr;

/// The addresses on which a tritonserver listens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// The HTTP address, if HTTP is enabled.
    pub http: Option<SocketAddr>,
    /// The gRPC address, if gRPC is enabled.
    pub grpc: Option<SocketAddr>,
    /// The metrics address, if metrics are enabled.
    pub metrics: Option<SocketAddr>,
}

impl Endpoints {
    /// Returns the addresses of all enabled endpoints.
    pub fn all(&self) -> impl Iterator<Item = SocketAddr> {
        [self.http, self.grpc, self.metrics].into_iter().flatten()
    }
}
