use std::io;
use std::net::{SocketAddr, TcpListener};

use thiserror::Error;

use crate::triton::Endpoints;

/// A port that tritonserver cannot have.
#[derive(Debug, Error)]
#[error("cannot listen on {address} for {endpoint} (option --{endpoint}-port): {source}")]
pub struct PortError {
    /// `http`, `grpc` or `metrics`.
    pub endpoint: &'static str,
    /// The address.
    pub address: SocketAddr,
    /// Why.
    #[source]
    pub source: io::Error,
}

/// Ports for a tritonserver: it takes no port 0, and a port in use is better said before it is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// Where it is to listen, without a port 0.
    pub endpoints: Endpoints,
    /// Whether another try would choose others.
    pub chosen: bool,
}

impl Ports {
    /// Looks for free ports where `wanted` leaves them open, and whether the others are free.
    ///
    /// Somebody else can take a port before tritonserver does.
    ///
    /// # Errors
    ///
    /// A [`PortError`] for the first port that cannot be had.
    pub fn find(wanted: Endpoints) -> Result<Self, PortError> {
        // All are held together, so that no two get the same.
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
    fn finds_free_ports_that_differ() {
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
    fn a_port_in_use_is_named() {
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
