use std::net::SocketAddr;
use std::time::Duration;

use crate::registry::Registry;
use crate::triton::TritonEngine;

use super::{Options, ServerError};
#[cfg(feature = "embedded")]
use super::{Server, serve::has_text_models};

/// The port of OpenAI's routes beside tritonserver, which has none.
#[derive(Debug, Default)]
pub(super) struct Texts {
    #[cfg(feature = "embedded")]
    server: Option<Server>,
}

impl Texts {
    /// Opens the port where a model has these routes; tritonserver answers over HTTP there.
    #[cfg(feature = "embedded")]
    pub(super) async fn start(
        registry: &Registry,
        options: &Options,
        engine: &TritonEngine,
    ) -> Result<Self, ServerError> {
        // tritonserver answers with the versions that are served, and knows no others.
        let registry = &registry.served();
        if !has_text_models(registry) {
            return Ok(Self::default());
        }
        let http = engine.endpoints().http.ok_or(ServerError::NoHttp)?;
        let answers = (http, engine.claims());
        let server =
            Server::beside_tritonserver(registry, options, engine.access(), answers).await?;
        Ok(Self {
            server: Some(server),
        })
    }

    /// Refuses models that have these routes: what serves them is not in this binary.
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

    /// Where the port is.
    #[cfg(feature = "embedded")]
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref()?.addresses().openai
    }

    /// Whether it has TLS.
    #[cfg(feature = "embedded")]
    pub(super) fn has_tls(&self) -> bool {
        let server = self.server.as_ref();
        server.is_some_and(|server| server.addresses().tls.openai)
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) fn has_tls(&self) -> bool {
        false
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) fn address(&self) -> Option<SocketAddr> {
        None
    }

    /// Answers what has been accepted, and closes the port; whether all was answered in time.
    #[cfg(feature = "embedded")]
    pub(super) async fn stop(self, timeout: Duration) -> bool {
        match self.server {
            Some(server) => server.stop(timeout).await,
            None => true,
        }
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) async fn stop(self, _: Duration) -> bool {
        true
    }
}
