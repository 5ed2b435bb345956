use std::sync::Arc;
use std::time::Duration;

use pytriton_core::registry::Registry;
use pytriton_engine::access::Access;
use pytriton_engine::options::{ControlOptions, Options};
use pytriton_engine::port::{Port, PortMap};
use pytriton_engine::{Addresses, HeaderForward, Limits};
use pytriton_net::{ConnectionLimits, Connections, Endpoint, HostCheck, Protocol, ReceiveWindows};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, timeout, timeout_at};

use crate::http::{self, TextModels};
use crate::metrics::MetricsConfig;
use crate::port_service::models_router;
use crate::repository::ModelRepository;
use crate::service::{AppState, OpenApiDocument, is_used_by_page};
use crate::{Extensions, PortRoutes, PortService, serve};

use super::EmbeddedError;
use super::checks::{
    access, check_control, check_docs_port, check_no_port_options, check_no_tls, check_openai_port,
    checked, has_text_models, metrics, tracer,
};
use super::keepalive::keepalive;
use super::listener::Reserved;
use super::platforms::Platforms;
use super::port_certificates::PortCertificates;
use super::services::{page_routes, services};

/// How long clients have to receive the refusal of their requests.
const REFUSAL_TIMEOUT: Duration = Duration::from_millis(500);

/// How long the remaining functions may run after a fatal error, when no client waits for them.
const ABANDONED_TIMEOUT: Duration = Duration::from_millis(250);

/// How long the last traces may take to be written, in addition to the exit timeout.
const TRACE_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// A running server.
#[derive(Debug)]
pub struct Server {
    models: Arc<ModelRepository>,
    pub(super) addresses: Addresses,
    stop: watch::Sender<Option<Instant>>,
    endpoints: JoinSet<bool>,
    /// Its token file is removed when this is dropped.
    access: Option<Arc<Access>>,
    pub(super) certificates: PortCertificates,
    extensions: Extensions,
}

impl Server {
    /// Binds the ports, loads the models, and then starts to listen.
    ///
    /// # Errors
    ///
    /// Returns an [`EmbeddedError`] that names the option, the model or the address.
    pub async fn start(
        registry: &Registry,
        options: &Options,
        extensions: &Extensions,
    ) -> Result<Self, EmbeddedError> {
        let limits = checked(options)?;
        let grpc = keepalive(options, limits.connections)?;
        check_control(registry, options)?;
        let tracer = tracer(options)?;
        let openai = has_text_models(&registry.served());
        if openai {
            check_openai_port(options)?;
        }
        check_docs_port(options)?;
        let access = access(options)?;
        let platforms = Platforms::new(options, registry)?;
        let certificates = PortCertificates::new(options, openai, !platforms.is_empty())?;
        let reserved = Reserved::new(options, openai, &platforms)?;
        let metrics = metrics(options)?;
        let control = options.control.clone();
        let mut server = Self::load(registry, limits, control, metrics).await?;
        server.models.trace(tracer);
        let listeners = reserved.listen(options, &certificates)?;
        server.addresses = listeners.addresses;
        if openai {
            server.addresses.share(Port::OpenAi, Port::Http);
        }
        if options.allow_docs {
            server.addresses.share(Port::Docs, Port::Http);
        }
        server.certificates = certificates;
        server.check_readiness(extensions);
        server.extensions = extensions.clone();
        let endpoints =
            server.endpoints(listeners.ports, limits, grpc, options, &access, platforms);
        server.open(endpoints);
        server.access = Some(access);
        Ok(server)
    }

    /// Loads the models and opens no port.
    ///
    /// # Errors
    ///
    /// Returns an [`EmbeddedError`] that names the option or the model.
    pub async fn without_ports(
        registry: &Registry,
        options: &Options,
        extensions: &Extensions,
    ) -> Result<Self, EmbeddedError> {
        check_control(registry, options)?;
        check_no_tls(options)?;
        check_no_port_options(options)?;
        Platforms::check_none(options)?;
        let (limits, control) = (checked(options)?, options.control.clone());
        let tracer = tracer(options)?;
        let server = Self::load(registry, limits, control, metrics(options)?).await?;
        server.models.trace(tracer);
        server.check_readiness(extensions);
        Ok(server)
    }

    fn check_readiness(&self, extensions: &Extensions) {
        if let Some(ready) = &extensions.ready {
            let check = ready(self.addresses, self.models.local_models());
            self.models.check_readiness(check);
        }
    }

    /// Loads the models.
    pub(super) async fn load(
        registry: &Registry,
        limits: Limits,
        control: ControlOptions,
        metrics: MetricsConfig,
    ) -> Result<Self, EmbeddedError> {
        registry.check_served()?;
        let models = ModelRepository::observed(registry, &limits, control, metrics).await?;
        Ok(Self {
            models: Arc::new(models),
            addresses: Addresses::default(),
            stop: watch::Sender::new(None),
            endpoints: JoinSet::new(),
            access: None,
            certificates: PortCertificates::default(),
            extensions: Extensions::default(),
        })
    }

    fn endpoints(
        &self,
        mut listeners: PortMap<TcpListener>,
        limits: Limits,
        grpc_connections: ConnectionLimits,
        options: &Options,
        access: &Access,
        mut platforms: Platforms,
    ) -> Vec<Endpoint<PortService>> {
        let models = &self.models;
        let addresses = Some(&self.addresses);
        let (http, grpc) = services(models, limits, options, access, addresses);
        let windows = ReceiveWindows::new(models.budget());
        let mut endpoints = Vec::new();
        let connections = limits.connections;
        let shared = self.addresses.grpc().is_some() && listeners.get(Port::Grpc).is_none();
        let service = |routes| PortService::new(routes).access_log(options.access_log);
        let mut open = |port, routes| {
            let (protocol, connections) = match port {
                Port::Grpc => (Protocol::Http2, grpc_connections),
                Port::Http if shared => (Protocol::Both, grpc_connections),
                _ => (Protocol::Both, connections),
            };
            let tls = self.certificates.get(port);
            endpoints.extend(listeners.remove(port).map(|listener| {
                let hosts = host_check(&listener, options, tls.is_some());
                let connections = Connections::new(service(routes), &connections, &windows)
                    .protocol(protocol)
                    .certificates(tls.cloned())
                    .hosts(hosts);
                Endpoint::new(listener, connections)
            }));
        };
        let texts = TextModels::Local(Arc::clone(models));
        let openai = PortRoutes::OpenAi(Arc::clone(&http), texts);
        open(Port::OpenAi, openai);
        let routes = page_routes(options, access, addresses).only_paths(is_used_by_page);
        let docs = PortRoutes::Page(Arc::new(AppState {
            docs: Some(Arc::new(OpenApiDocument::new(routes))),
            ..(*http).clone()
        }));
        open(Port::Docs, docs);
        let own = Arc::new(AppState {
            forward: HeaderForward::default(),
            docs: None,
            ..(*http).clone()
        });
        let metrics = http::Metrics::new(Arc::clone(models), self.certificates.all());
        let metrics = Arc::new(metrics.with_program(self.extensions.metrics.clone()));
        let measured = options.allow_metrics.then(|| Arc::clone(&metrics));
        for (port, platform) in [
            (Port::VertexAi, platforms.vertex_ai(measured)),
            (Port::SageMaker, platforms.sagemaker()),
        ] {
            if let Some(platform) = platform {
                let routes = PortRoutes::Platform(Arc::clone(&own), platform);
                open(port, routes);
            }
        }
        let own = self.extensions.router.as_ref().map(|extend| {
            let router = models_router(&http);
            extend(router, self.addresses, models.local_models())
        });
        match (own, shared) {
            (None, true) => open(Port::Http, PortRoutes::Both(http, grpc)),
            (Some(own), true) => open(Port::Http, PortRoutes::Own(http, own, Some(grpc))),
            (own, false) => {
                open(Port::Grpc, PortRoutes::Grpc(Arc::clone(&http), grpc));
                let routes = match own {
                    Some(own) => PortRoutes::Own(http, own, None),
                    None => PortRoutes::Http(http),
                };
                open(Port::Http, routes);
            }
        }
        let routes = PortRoutes::Routes(http::metrics_router(metrics));
        open(Port::Metrics, routes);
        endpoints
    }

    /// Serves ports until the server stops.
    pub(super) fn open(&mut self, endpoints: Vec<Endpoint<PortService>>) {
        for endpoint in endpoints {
            self.endpoints.spawn(serve(endpoint, self.stop.subscribe()));
        }
    }

    /// Returns the models that are served.
    pub fn models(&self) -> &Arc<ModelRepository> {
        &self.models
    }

    /// Returns the addresses of the server.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Returns the access control of its ports.
    pub fn access(&self) -> Option<Arc<Access>> {
        self.access.clone()
    }

    /// Stops the server. It reports not ready, accepts no further connections, and completes
    /// accepted requests within `within`.
    ///
    /// Returns whether all requests were completed. If another runtime polls this future, it
    /// finishes in time even if every thread of the server's runtime is blocked.
    pub async fn stop(mut self, within: Duration) -> bool {
        self.models.stop_being_ready();
        let now = Instant::now();
        let deadline = now.checked_add(within).unwrap_or(now);
        let refused = deadline.checked_add(REFUSAL_TIMEOUT).unwrap_or(deadline);
        self.stop.send_replace(Some(refused));
        let in_time = timeout_at(deadline, join(&mut self.endpoints)).await;
        let all = match in_time {
            Ok(finished) => finished,
            Err(_) => {
                self.models.abandon();
                let last = refused.checked_add(REFUSAL_TIMEOUT).unwrap_or(refused);
                if timeout_at(last, join(&mut self.endpoints)).await.is_err() {
                    tracing::warn!("some connections did not close before the deadline");
                }
                false
            }
        };
        // All clients have their responses. After a fatal error, computations that no client waits
        // for must not delay the end.
        let deadline = match self.models.is_broken() {
            true => deadline.min(Instant::now() + ABANDONED_TIMEOUT),
            false => deadline,
        };
        let drained = self.models.drain(deadline).await;
        if !drained {
            // Callers within the process have no connection that could be closed.
            self.models.abandon();
        }
        let all = all & drained;
        let models = Arc::clone(&self.models);
        let traces = spawn_blocking(move || models.tracer().stop(TRACE_WRITE_TIMEOUT));
        // Traces that are not written by then are lost.
        let _ = timeout(TRACE_WRITE_TIMEOUT, traces).await;
        all
    }
}

/// Returns the check of the host names of requests to a port.
pub(super) fn host_check(listener: &TcpListener, options: &Options, tls: bool) -> HostCheck {
    let address = listener.local_addr().ok().map(|address| address.ip());
    HostCheck::new(options.allowed_hosts.as_ref(), address, tls)
}

/// Waits until all ports are closed. Returns whether all connections ended by themselves.
async fn join(endpoints: &mut JoinSet<bool>) -> bool {
    let mut all = true;
    while let Some(finished) = endpoints.join_next().await {
        all &= finished.unwrap_or(false);
    }
    all
}
