use std::net::SocketAddr;
use std::sync::Arc;

use pytriton_core::registry::Registry;
use pytriton_engine::access::Access;
use pytriton_engine::options::{ControlOptions, Options};
use pytriton_engine::port::Port;
use pytriton_engine::{PortAddress, RunningTritonserver};
use pytriton_net::{Connections, Endpoint, ReceiveWindows};
use rustix::process::{Resource, getrlimit};
use tokio::time::Instant;

use crate::http::{Relay, TextModels, TritonserverClient, Upstream};
use crate::metrics::MetricsConfig;
use crate::service::{OpenApiDocument, is_used_by_page};
use crate::{PortRoutes, PortService};

use super::checks::has_text_models;
use super::listener::Reserved;
use super::port_certificates::PortCertificates;
use super::serve::host_check;
use super::services::{page_routes, services};
use super::{EmbeddedError, Server};

/// The maximum number of concurrent OpenAI requests to tritonserver.
const MAX_CONNECTIONS: u64 = 256;

/// The ports of the OpenAI routes and the docs page next to a tritonserver, which has neither.
#[derive(Debug, Default)]
pub struct SidecarServer {
    server: Option<(Server, Arc<TritonserverClient>)>,
}

impl SidecarServer {
    /// Opens the port of the OpenAI routes if a model has them, and that of the docs page if it is
    /// allowed.
    ///
    /// # Errors
    ///
    /// Returns an [`EmbeddedError`] that names the option or the address.
    pub async fn start(
        registry: &Registry,
        options: &Options,
        tritonserver: RunningTritonserver,
    ) -> Result<Self, EmbeddedError> {
        let theirs = tritonserver.addresses;
        let texts = has_text_models(&registry.served());
        let page = options.allow_docs && theirs.http().is_some();
        if !texts && !page {
            return Ok(Self::default());
        }
        let access = tritonserver.access;
        let http = theirs.http().ok_or(EmbeddedError::NoHttp)?;
        let client = TritonserverClient::new(http, Arc::clone(&access), max_connections());
        let client = Arc::new(client);
        let models = tritonserver.models;
        let upstream = texts.then(|| {
            let side_channel = tritonserver.side_channel;
            Upstream::new(Arc::clone(&client), models.clone(), side_channel)
        });
        let stopped_client = Arc::clone(&client);
        let routes = page_routes(options, &access, Some(&theirs));
        let relay = page.then(|| Relay {
            client,
            metrics: theirs.metrics(),
            models,
            document: OpenApiDocument::new(routes.only_paths(is_used_by_page)),
        });
        let server = open(options, &access, upstream, relay).await?;
        Ok(Self {
            server: Some((server, stopped_client)),
        })
    }

    /// Returns the addresses of the OpenAI routes and the docs page.
    pub fn addresses(&self) -> Vec<(Port, PortAddress)> {
        let server = self.server.iter();
        let addresses = server.flat_map(|(server, _)| server.addresses().iter());
        addresses.collect()
    }

    /// Opens connections to tritonserver for requests that are accepted here but not yet sent,
    /// before it stops accepting connections. Returns their local addresses.
    pub fn prepare_to_stop(&self) -> impl Future<Output = Vec<SocketAddr>> + Send + use<> {
        let client = self.server.as_ref().map(|(_, client)| Arc::clone(client));
        async move {
            match client {
                Some(client) => client.prepare_to_stop().await,
                None => Vec::new(),
            }
        }
    }

    /// Closes the ports at once, and waits until accepted requests are completed. Returns whether
    /// they were by `deadline`.
    pub async fn stop(self, deadline: Instant) -> bool {
        let Some((server, client)) = self.server else {
            return true;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let answered = server.stop(left).await;
        client.stopped();
        answered
    }
}

/// Opens the ports. Their server has no models of its own.
async fn open(
    options: &Options,
    access: &Access,
    upstream: Option<Upstream>,
    relay: Option<Relay>,
) -> Result<Server, EmbeddedError> {
    let limits = options.bounds();
    let certificates = PortCertificates::openai(options, upstream.is_some())?;
    let (control, metrics) = (ControlOptions::default(), MetricsConfig::default());
    let mut server = Server::load(&Registry::default(), limits, control, metrics).await?;
    let reserved = Reserved::next_to_tritonserver(options, upstream.is_some(), relay.is_some())?;
    let listeners = reserved.listen(options, &certificates)?;
    let (app_state, _) = services(server.models(), limits, options, access, None);
    let texts = upstream.map(|upstream| {
        let texts = TextModels::Upstream(Arc::new(upstream));
        PortRoutes::OpenAi(Arc::clone(&app_state), texts)
    });
    let page = relay.map(|relay| PortRoutes::Docs(app_state, Arc::new(relay)));
    let windows = ReceiveWindows::new(server.models().budget());
    let limits = limits.connections;
    let mut ports = listeners.ports;
    server.addresses = listeners.addresses;
    let mut endpoints = Vec::new();
    // The docs page has no TLS, like tritonserver's own HTTP port.
    for (port, routes) in [(Port::OpenAi, texts), (Port::Docs, page)] {
        if let (Some(listener), Some(routes)) = (ports.remove(port), routes) {
            let tls = certificates.get(port).cloned();
            let connections = Connections::new(PortService::new(routes), &limits, &windows)
                .hosts(host_check(&listener, options, tls.is_some()))
                .certificates(tls);
            endpoints.push(Endpoint::new(listener, connections));
        }
    }
    server.open(endpoints);
    server.certificates = certificates;
    Ok(server)
}

/// Returns the number of connections to tritonserver that leaves enough descriptors for its other
/// clients. tritonserver inherits the limit of this process.
fn max_connections() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    let connections = limit.map_or(MAX_CONNECTIONS, |limit| {
        (limit / 4).clamp(1, MAX_CONNECTIONS)
    });
    usize::try_from(connections).unwrap_or(1)
}
