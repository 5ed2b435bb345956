use std::net::SocketAddr;

use pytriton_engine::port::Port;
use pytriton_engine::{Addresses, PortAddress};

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

    /// Returns the addresses of the ports. tritonserver uses TLS only for gRPC.
    pub fn addresses(&self, grpc_tls: bool) -> Addresses {
        let ports = [
            (Port::Http, self.http, false),
            (Port::Grpc, self.grpc, grpc_tls),
            (Port::Metrics, self.metrics, false),
        ];
        let served = ports.into_iter().filter_map(|(port, address, tls)| {
            let address = address?;
            Some((port, PortAddress::new(address, tls)))
        });
        served.collect()
    }
}
