use std::net::{IpAddr, SocketAddr};

use tokio::net::TcpListener;

use crate::net::BoundPort;

use super::addresses::shared;
use super::platforms::Platforms;
use super::{Addresses, Options, ServerError};

/// The default port of the OpenAI routes with the tritonserver engine.
#[cfg(tritonserver)]
const OPENAI_PORT: u16 = 8003;

/// The default port of the docs page with the tritonserver engine.
#[cfg(tritonserver)]
const DOCS_PORT: u16 = 8004;

/// Ports that are bound but do not listen yet, so a TCP probe cannot find a server without models.
#[derive(Debug)]
pub(super) struct Reserved {
    http: Option<Port>,
    grpc: Option<Port>,
    metrics: Option<Port>,
    openai: Option<Port>,
    docs: Option<Port>,
    vertex_ai: Option<Port>,
    sagemaker: Option<Port>,
}

/// Ports that listen.
#[derive(Debug)]
pub(super) struct Listeners {
    pub(super) addresses: Addresses,
    pub(super) http: Option<TcpListener>,
    /// `None` if gRPC shares the HTTP port.
    pub(super) grpc: Option<TcpListener>,
    pub(super) metrics: Option<TcpListener>,
    /// `None` if the OpenAI routes have no port of their own.
    pub(super) openai: Option<TcpListener>,
    /// `None` if the docs page has no port of its own.
    pub(super) docs: Option<TcpListener>,
    pub(super) vertex_ai: Option<TcpListener>,
    pub(super) sagemaker: Option<TcpListener>,
}

#[derive(Debug)]
struct Port {
    endpoint: &'static str,
    address: SocketAddr,
    bound: BoundPort,
}

impl Reserved {
    /// Binds the ports of the options. `openai` tells whether a model has OpenAI routes.
    pub(super) fn new(
        options: &Options,
        openai: bool,
        platforms: &Platforms,
    ) -> Result<Self, ServerError> {
        if !options.allow_http && !options.allow_grpc && platforms.is_empty() {
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
            openai: match options.openai_port {
                Some(port) if openai => Some(Port::openai(options, port)?),
                _ => None,
            },
            docs: match options.docs_port {
                Some(port) if options.allow_docs => Some(Port::docs(options, port)?),
                _ => None,
            },
            vertex_ai: platforms
                .vertex_ai
                .as_ref()
                .map(|vertex_ai| Port::take("vertex-ai", vertex_ai.address))
                .transpose()?,
            sagemaker: platforms
                .sagemaker
                .as_ref()
                .map(|sagemaker| Port::take("sagemaker", sagemaker.address))
                .transpose()?,
        })
    }

    /// Binds only the ports that this process serves in addition to tritonserver's.
    #[cfg(tritonserver)]
    pub(super) fn next_to_tritonserver(
        options: &Options,
        openai: bool,
        docs: bool,
    ) -> Result<Self, ServerError> {
        let port = options.openai_port.unwrap_or(OPENAI_PORT);
        let openai = openai.then(|| Port::openai(options, port)).transpose()?;
        let docs = match options.docs_port {
            _ if !docs => None,
            Some(port) => Some(Port::docs(options, port)?),
            // The docs page was not requested, so a port in use must not prevent the start.
            None => Port::docs(options, DOCS_PORT)
                .inspect_err(|error| {
                    tracing::warn!(
                        "{error}; the docs page is not served (set --docs-port to use another port)"
                    )
                })
                .ok(),
        };
        Ok(Self {
            http: None,
            grpc: None,
            metrics: None,
            openai,
            docs,
            vertex_ai: None,
            sagemaker: None,
        })
    }

    /// Starts to listen.
    pub(super) fn listen(self, options: &Options) -> Result<Listeners, ServerError> {
        let listen = |port: Option<Port>| port.map(Port::listen).transpose();
        let (http, grpc, metrics, openai, docs) = (
            listen(self.http)?,
            listen(self.grpc)?,
            listen(self.metrics)?,
            listen(self.openai)?,
            listen(self.docs)?,
        );
        let (vertex_ai, sagemaker) = (listen(self.vertex_ai)?, listen(self.sagemaker)?);
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
            openai: address(&openai),
            docs: address(&docs),
            vertex_ai: address(&vertex_ai),
            sagemaker: address(&sagemaker),
            ..Addresses::default()
        };
        Ok(Listeners {
            addresses,
            http,
            grpc,
            metrics,
            openai,
            docs,
            vertex_ai,
            sagemaker,
        })
    }
}

impl Port {
    fn openai(options: &Options, port: u16) -> Result<Self, ServerError> {
        let address = options.openai_address.unwrap_or(options.http_address);
        Self::take("openai", SocketAddr::new(address, port))
    }

    fn docs(options: &Options, port: u16) -> Result<Self, ServerError> {
        let address = options.docs_address.unwrap_or(options.http_address);
        Self::take("docs", SocketAddr::new(address, port))
    }

    fn take(endpoint: &'static str, address: SocketAddr) -> Result<Self, ServerError> {
        match BoundPort::bind(address) {
            Ok(bound) => Ok(Self {
                endpoint,
                address,
                bound,
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
            bound,
        } = self;
        bound.listen().map_err(|source| ServerError::Bind {
            endpoint,
            address,
            source,
        })
    }
}
