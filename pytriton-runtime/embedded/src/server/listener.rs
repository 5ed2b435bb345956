use std::net::SocketAddr;

use pytriton_engine::options::{Options, OptionsError};
use pytriton_engine::port::{Port, PortMap};
use pytriton_engine::{Addresses, PortAddress};
use pytriton_net::BoundPort;
use tokio::net::TcpListener;

use super::EmbeddedError;
use super::platforms::Platforms;
use super::port_certificates::PortCertificates;

/// The default port of the OpenAI routes with the tritonserver engine.
const OPENAI_PORT: u16 = 8003;

/// The default port of the docs page with the tritonserver engine.
const DOCS_PORT: u16 = 8004;

/// Ports that are bound but do not listen yet, so a TCP probe cannot find a server without models.
#[derive(Debug)]
pub(super) struct Reserved(PortMap<ReservedPort>);

/// Ports that listen.
#[derive(Debug)]
pub(super) struct Listeners {
    pub(super) addresses: Addresses,
    /// The listeners. Routes without a port of their own have none, and gRPC has none if it shares
    /// the HTTP port.
    pub(super) ports: PortMap<TcpListener>,
}

#[derive(Debug)]
struct ReservedPort {
    address: SocketAddr,
    bound: BoundPort,
}

impl Reserved {
    /// Binds the ports of the options. `openai` states whether a model has OpenAI routes.
    pub(super) fn new(
        options: &Options,
        openai: bool,
        platforms: &Platforms,
    ) -> Result<Self, EmbeddedError> {
        if !options.allow_http && !options.allow_grpc && platforms.is_empty() {
            return Err(OptionsError::NoEndpoint.into());
        }
        let [http, grpc, metrics] = options.endpoints();
        let own_grpc = grpc.filter(|_| !options.shares_port());
        let openai_port = options.openai_port.filter(|_| openai);
        let docs_port = options.docs_port.filter(|_| options.allow_docs);
        let vertex_ai = platforms.vertex_ai.as_ref();
        let sagemaker = platforms.sagemaker.as_ref();
        let addresses = [
            (Port::Http, http),
            (Port::Grpc, own_grpc),
            (Port::Metrics, metrics),
            (
                Port::OpenAi,
                openai_port.map(|port| openai_address(options, port)),
            ),
            (
                Port::Docs,
                docs_port.map(|port| docs_address(options, port)),
            ),
            (Port::VertexAi, vertex_ai.map(|place| place.address)),
            (Port::SageMaker, sagemaker.map(|place| place.address)),
        ];
        let addresses = addresses
            .into_iter()
            .filter_map(|(port, address)| Some((port, address?)));
        let ports = addresses.map(|(port, address)| Ok((port, ReservedPort::bind(port, address)?)));
        Ok(Self(ports.collect::<Result<_, EmbeddedError>>()?))
    }

    /// Binds only the ports that this process serves in addition to tritonserver's.
    pub(super) fn next_to_tritonserver(
        options: &Options,
        openai: bool,
        docs: bool,
    ) -> Result<Self, EmbeddedError> {
        let mut ports = PortMap::default();
        if openai {
            let address = openai_address(options, options.openai_port.unwrap_or(OPENAI_PORT));
            ports.insert(Port::OpenAi, ReservedPort::bind(Port::OpenAi, address)?);
        }
        if docs {
            let address = docs_address(options, options.docs_port.unwrap_or(DOCS_PORT));
            match ReservedPort::bind(Port::Docs, address) {
                Ok(port) => ports.insert(Port::Docs, port),
                Err(error) if options.docs_port.is_some() => return Err(error),
                // The docs page was not requested, so a port in use must not prevent the start.
                Err(error) => tracing::warn!(
                    "{error}; the docs page is not served (set --docs-port to use another port)"
                ),
            }
        }
        Ok(Self(ports))
    }

    /// Starts to listen.
    pub(super) fn listen(
        self,
        options: &Options,
        certificates: &PortCertificates,
    ) -> Result<Listeners, EmbeddedError> {
        let listen = |(port, reserved): (Port, ReservedPort)| Ok((port, reserved.listen(port)?));
        let ports = self.0.into_entries().map(listen);
        let ports: PortMap<TcpListener> = ports.collect::<Result<_, EmbeddedError>>()?;
        let mut addresses = Addresses::default();
        addresses.extend(ports.iter().filter_map(|(port, listener)| {
            let address = listener.local_addr().ok()?;
            let tls = certificates.get(port).is_some();
            Some((port, PortAddress::new(address, tls)))
        }));
        if options.shares_port() {
            addresses.share(Port::Grpc, Port::Http);
        }
        Ok(Listeners { addresses, ports })
    }
}

fn openai_address(options: &Options, port: u16) -> SocketAddr {
    let address = options.openai_address.unwrap_or(options.http_address);
    SocketAddr::new(address, port)
}

fn docs_address(options: &Options, port: u16) -> SocketAddr {
    let address = options.docs_address.unwrap_or(options.http_address);
    SocketAddr::new(address, port)
}

impl ReservedPort {
    fn bind(port: Port, address: SocketAddr) -> Result<Self, EmbeddedError> {
        match BoundPort::bind(address) {
            Ok(bound) => Ok(Self { address, bound }),
            Err(source) => Err(EmbeddedError::Bind {
                endpoint: port.name(),
                address,
                source,
            }),
        }
    }

    fn listen(self, port: Port) -> Result<TcpListener, EmbeddedError> {
        let address = self.address;
        self.bound.listen().map_err(|source| EmbeddedError::Bind {
            endpoint: port.name(),
            address,
            source,
        })
    }
}
