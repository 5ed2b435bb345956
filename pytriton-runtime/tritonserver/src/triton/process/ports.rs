use std::io;
use std::net::{SocketAddr, TcpListener};

use thiserror::Error;

use crate::triton::Endpoints;

/// A port is not available to tritonserver.
#[derive(Debug, Error)]
#[error("cannot listen on {address} for {endpoint} (option --{endpoint}-port): {source}")]
pub struct PortError {
    /// `http`, `grpc` or `metrics`.
    pub endpoint: &'static str,
    /// The address.
    pub address: SocketAddr,
    /// The cause.
    #[source]
    pub source: io::Error,
}

/// Ports for a tritonserver. It does not support port 0, and a port in use is better reported
/// before the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// The addresses to listen on, without port 0.
    pub endpoints: Endpoints,
    /// Whether another attempt would choose other ports.
    pub chosen: bool,
}

impl Ports {
    /// Chooses free ports where `wanted` has port 0, and checks that the others are free.
    ///
    /// Another process can still take a port before tritonserver does.
    ///
    /// # Errors
    ///
    /// Returns a [`PortError`] for the first port that is not available.
    pub fn find(wanted: Endpoints) -> Result<Self, PortError> {
        // All ports are held at the same time, so that they are distinct.
        let http = hold("http", wanted.http)?;
        let grpc = hold("grpc", wanted.grpc)?;
        let metrics = hold("metrics", wanted.metrics)?;
        let all = [wanted.http, wanted.grpc, wanted.metrics];
        Ok(Self {
            endpoints: Endpoints {
                http: http.map(|(address, _)| address),
                grpc: grpc.map(|(address, _)| address),
                metrics: metrics.map(|(address, _)| address),
            },
            chosen: all.into_iter().flatten().any(|address| address.port() == 0),
        })
    }
}

fn hold(
    endpoint: &'static str,
    address: Option<SocketAddr>,
) -> Result<Option<(SocketAddr, TcpListener)>, PortError> {
    let Some(address) = address else {
        return Ok(None);
    };
    let held =
        TcpListener::bind(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
    held.map(Some).map_err(|source| PortError {
        endpoint,
        address,
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_ports_are_distinct() {
        let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        let ports = Ports::find(Endpoints {
            http: any,
            grpc: any,
            metrics: any,
        })
        .unwrap();
        let Endpoints {
            http,
            grpc,
            metrics,
        } = ports.endpoints;
        assert!(ports.chosen && http != grpc && grpc != metrics && http != metrics);
        assert!(
            [http, grpc, metrics]
                .iter()
                .all(|at| at.unwrap().port() > 0)
        );
        let nothing = Ports::find(Endpoints::default()).unwrap();
        assert_eq!(nothing.endpoints, Endpoints::default());
        assert!(!nothing.chosen);
    }

    #[test]
    fn port_in_use_is_reported() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let error = Ports::find(Endpoints {
            grpc: Some(address),
            ..Endpoints::default()
        })
        .unwrap_err();
        let expected = format!("cannot listen on {address} for grpc (option --grpc-port)");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
