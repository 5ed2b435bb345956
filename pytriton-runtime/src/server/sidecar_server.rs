use std::net::SocketAddr;
#[cfg(feature = "embedded")]
use std::sync::Arc;

use tokio::time::Instant;

#[cfg(feature = "embedded")]
use crate::http::{OpenApiDocument, Relay, TritonserverClient, Upstream};
use crate::port::Port;
use crate::registry::Registry;
#[cfg(feature = "embedded")]
use crate::service::is_used_by_page;
#[cfg(feature = "embedded")]
use crate::tls::plan;
use crate::triton::TritonEngine;

#[cfg(feature = "embedded")]
use super::descriptors::connections_beside_others;
use super::{Options, PortAddress, ServerError};
#[cfg(feature = "embedded")]
use super::{Server, embedded_checks::has_text_models, serve::page_routes};

/// The ports of the OpenAI routes and the docs page next to a tritonserver, which has neither.
#[derive(Debug, Default)]
pub(super) struct SidecarServer {
    #[cfg(feature = "embedded")]
    server: Option<(Server, Arc<TritonserverClient>)>,
}

impl SidecarServer {
    /// Opens the port of the OpenAI routes if a model has them, and that of the docs page if it is
    /// allowed.
    #[cfg(feature = "embedded")]
    pub(super) async fn start(
        registry: &Registry,
        options: &Options,
        engine: &TritonEngine,
    ) -> Result<Self, ServerError> {
        let theirs = engine.endpoints();
        let texts = has_text_models(&registry.served());
        let page = options.allow_docs && theirs.http.is_some();
        if !texts && !page {
            return Ok(Self::default());
        }
        let access = engine.access();
        let http = theirs.http.ok_or(ServerError::NoHttp)?;
        let client = TritonserverClient::new(http, Arc::clone(access), connections_beside_others());
        let client = Arc::new(client);
        let upstream = texts.then(|| {
            let (models, side_channel) =
                (engine.loaded_models(), Arc::clone(engine.side_channel()));
            Upstream::new(Arc::clone(&client), models, side_channel)
        });
        let stopped_client = Arc::clone(&client);
        let plan = plan(&options.tls, &options.triton.flags)?;
        let addresses = theirs.addresses(plan.get(Port::Grpc).is_some());
        let routes = page_routes(options, access, Some(&addresses));
        let relay = page.then(|| Relay {
            client,
            metrics: theirs.metrics,
            models: engine.loaded_models(),
            document: OpenApiDocument::new(routes.only_paths(is_used_by_page)),
        });
        let server = Server::next_to_tritonserver((upstream, relay), options, access).await?;
        Ok(Self {
            server: Some((server, stopped_client)),
        })
    }

    /// Refuses models with OpenAI routes, because this binary cannot serve them.
    #[cfg(not(feature = "embedded"))]
    pub(super) async fn start(
        registry: &Registry,
        _: &Options,
        _: &TritonEngine,
    ) -> Result<Self, ServerError> {
        match registry.iter().any(|spec| spec.openai.is_some()) {
            true => Err(ServerError::NoTexts),
            false => Ok(Self::default()),
        }
    }

    /// Returns the addresses of the OpenAI routes and the docs page.
    pub(super) fn addresses(&self) -> Vec<(Port, PortAddress)> {
        #[cfg(feature = "embedded")]
        if let Some((server, _)) = &self.server {
            return server.addresses().iter().collect();
        }
        Vec::new()
    }

    /// Opens connections to tritonserver for requests that are accepted here but not yet sent,
    /// before it stops accepting connections. Returns their local addresses.
    #[cfg(feature = "embedded")]
    pub(super) fn prepare_to_stop(&self) -> impl Future<Output = Vec<SocketAddr>> + Send + use<> {
        let client = self.server.as_ref().map(|(_, client)| Arc::clone(client));
        async move {
            match client {
                Some(client) => client.prepare_to_stop().await,
                None => Vec::new(),
            }
        }
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) fn prepare_to_stop(&self) -> impl Future<Output = Vec<SocketAddr>> + Send + use<> {
        std::future::ready(Vec::new())
    }

    /// Closes the ports at once, and waits until accepted requests are completed. Returns whether
    /// they were by `deadline`.
    #[cfg(feature = "embedded")]
    pub(super) async fn stop(self, deadline: Instant) -> bool {
        let Some((server, client)) = self.server else {
            return true;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let answered = server.stop(left).await;
        client.stopped();
        answered
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) async fn stop(self, _: Instant) -> bool {
        true
    }
}
