use std::net::{IpAddr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

use super::addresses::shared;
use super::{Addresses, Options, ServerError};

/// How many connections the system may hold for us before we take them.
const BACKLOG: u32 = 1024;

/// Ports that are ours but do not answer yet: a probe that only connects must not find a server without models.
#[derive(Debug)]
pub(super) struct Reserved {
    http: Option<Port>,
    grpc: Option<Port>,
    metrics: Option<Port>,
}

/// Ports that answer.
#[derive(Debug)]
pub(super) struct Listeners {
    pub(super) addresses: Addresses,
    pub(super) http: Option<TcpListener>,
    /// `None` where gRPC shares the port of HTTP.
    pub(super) grpc: Option<TcpListener>,
    pub(super) metrics: Option<TcpListener>,
}

#[derive(Debug)]
struct Port {
    endpoint: &'static str,
    address: SocketAddr,
    socket: TcpSocket,
}

impl Reserved {
    /// Takes the ports of the options.
    pub(super) fn new(options: &Options) -> Result<Self, ServerError> {
        if !options.allow_http && !options.allow_grpc {
            return Err(ServerError::NoEndpoint);
        }
        let take = |allowed: bool, endpoint, address: IpAddr, port| {
            allowed
                .then(|| Port::take(endpoint, SocketAddr::new(address, port)))
                .transpose()
        };
        let metrics_address = options.metrics_address.unwrap_or(options.http_address);
        let own_grpc = options.allow_grpc && !shared(options);
        Ok(Self {
            http: take(
                options.allow_http,
                "http",
                options.http_address,
                options.http_port,
            )?,
            grpc: take(own_grpc, "grpc", options.grpc_address, options.grpc_port)?,
            metrics: take(
                options.allow_metrics,
                "metrics",
                metrics_address,
                options.metrics_port,
            )?,
        })
    }

    /// Opens the ports.
    pub(super) fn listen(self, options: &Options) -> Result<Listeners, ServerError> {
        let listen = |port: Option<Port>| port.map(Port::listen).transpose();
        let (http, grpc, metrics) = (
            listen(self.http)?,
            listen(self.grpc)?,
            listen(self.metrics)?,
        );
        let address = |listener: &Option<TcpListener>| {
            let address = listener.as_ref().map(TcpListener::local_addr);
            address.and_then(Result::ok)
        };
        let addresses = Addresses {
            http: address(&http),
            grpc: match shared(options) {
                true => address(&http),
                false => address(&grpc),
            },
            metrics: address(&metrics),
        };
        Ok(Listeners {
            addresses,
            http,
            grpc,
            metrics,
        })
    }
}

impl Port {
    fn take(endpoint: &'static str, address: SocketAddr) -> Result<Self, ServerError> {
        let take = || {
            let socket = match address {
                SocketAddr::V4(_) => TcpSocket::new_v4(),
                SocketAddr::V6(_) => TcpSocket::new_v6(),
            }?;
            // A restarted server takes its port back although connections of the last one linger.
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            Ok(socket)
        };
        match take() {
            Ok(socket) => Ok(Self {
                endpoint,
                address,
                socket,
            }),
            Err(source) => Err(ServerError::Bind {
                endpoint,
                address,
                source,
            }),
        }
    }

    fn listen(self) -> Result<TcpListener, ServerError> {
        let Self {
            endpoint,
            address,
            socket,
        } = self;
        socket.listen(BACKLOG).map_err(|source| ServerError::Bind {
            endpoint,
            address,
            source,
        })
    }
}
