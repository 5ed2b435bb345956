use std::net::SocketAddr;
#[cfg(feature = "embedded")]
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "embedded")]
use crate::http::Upstream;
use crate::registry::Registry;
use crate::triton::TritonEngine;

#[cfg(feature = "embedded")]
use super::descriptors::connections_beside_others;
use super::{Options, ServerError};
#[cfg(feature = "embedded")]
use super::{Server, checked::has_text_models};

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
        if !has_text_models(&registry.served()) {
            return Ok(Self::default());
        }
        let upstream = Upstream::new(
            engine.endpoints().http.ok_or(ServerError::NoHttp)?,
            Arc::clone(engine.access()),
            Box::new(engine.loaded()),
            Arc::clone(engine.claims()),
            connections_beside_others(),
        );
        let server = Server::beside_tritonserver(upstream, options, engine.access()).await?;
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
