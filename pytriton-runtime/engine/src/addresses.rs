use std::net::SocketAddr;

use crate::port::{Port, PortMap};

/// The addresses at which the server can be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Addresses(PortMap<PortAddress>);

/// The address of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PortAddress {
    /// The address.
    pub address: SocketAddr,
    /// Whether the port uses TLS.
    pub tls: bool,
}

impl PortAddress {
    /// The address of a port, and whether the port uses TLS.
    pub const fn new(address: SocketAddr, tls: bool) -> Self {
        Self { address, tls }
    }
}

impl Addresses {
    /// Returns the address of a port if it is served.
    ///
    /// OpenAI routes and the docs page have the address of HTTP if they have no port of their own.
    pub fn get(&self, port: Port) -> Option<PortAddress> {
        self.0.get(port).copied()
    }

    /// Returns the addresses of all served ports.
    pub fn iter(&self) -> impl Iterator<Item = (Port, PortAddress)> {
        self.0.iter().map(|(port, address)| (port, *address))
    }

    /// Returns the HTTP address, if HTTP is served.
    pub fn http(&self) -> Option<SocketAddr> {
        self.get(Port::Http).map(|at| at.address)
    }

    /// Returns the gRPC address, if gRPC is served.
    pub fn grpc(&self) -> Option<SocketAddr> {
        self.get(Port::Grpc).map(|at| at.address)
    }

    /// Returns the metrics address, if metrics are served.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.get(Port::Metrics).map(|at| at.address)
    }

    /// Returns the name and the URL of each address.
    pub fn urls(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.0.iter().map(|(port, at)| {
            let (name, scheme, path) = match port {
                Port::Http => ("http", "http", ""),
                Port::Grpc => ("grpc", "grpc", ""),
                Port::Metrics => ("metrics", "http", "/metrics"),
                Port::OpenAi => ("openai", "http", "/v1"),
                Port::Docs => ("docs", "http", "/docs"),
                Port::VertexAi => ("vertex", "http", ""),
                Port::SageMaker => ("sagemaker", "http", ""),
            };
            let secure = if at.tls { "s" } else { "" };
            (name, format!("{scheme}{secure}://{}{path}", at.address))
        })
    }

    /// Sets the address of a port without one to that of another port.
    pub fn share(&mut self, port: Port, with: Port) {
        if let (None, Some(at)) = (self.get(port), self.get(with)) {
            self.0.insert(port, at);
        }
    }

    /// Returns the ports that do not serve the docs page: protocol, port, and whether it uses TLS.
    pub fn beside_docs(&self) -> impl Iterator<Item = (&'static str, u16, bool)> {
        let docs = self.get(Port::Docs);
        let http = self
            .get(Port::Http)
            .filter(|_| docs != self.get(Port::Http));
        let ports = [(Port::Http, http), (Port::Grpc, self.get(Port::Grpc))];
        ports.into_iter().filter_map(|(port, at)| {
            let at = at?;
            Some((port.name(), at.address.port(), at.tls))
        })
    }
}

impl FromIterator<(Port, PortAddress)> for Addresses {
    fn from_iter<I: IntoIterator<Item = (Port, PortAddress)>>(addresses: I) -> Self {
        Self(addresses.into_iter().collect())
    }
}

impl Extend<(Port, PortAddress)> for Addresses {
    fn extend<I: IntoIterator<Item = (Port, PortAddress)>>(&mut self, addresses: I) {
        self.0.extend(addresses);
    }
}
