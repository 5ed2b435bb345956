//! Replaces the ports next to a tritonserver in a binary without the embedded engine.

use std::future::ready;
use std::net::SocketAddr;

use pytriton_engine::{PortAddress, RunningTritonserver};
use pytriton_tritonserver::server::TritonserverError;
use tokio::time::Instant;

use crate::port::Port;
use crate::registry::Registry;

use super::{Options, ServerError};

/// The ports next to a tritonserver: none, because the embedded engine serves them.
#[derive(Debug)]
pub(super) struct SidecarServer;

impl SidecarServer {
    /// Refuses models with OpenAI routes, because this binary cannot serve them.
    pub(super) async fn start(
        registry: &Registry,
        _: &Options,
        _: RunningTritonserver,
    ) -> Result<Self, ServerError> {
        match registry.iter().any(|spec| spec.openai.is_some()) {
            true => Err(TritonserverError::NoTexts.into()),
            false => Ok(Self),
        }
    }

    /// Returns no address.
    pub(super) fn addresses(&self) -> Vec<(Port, PortAddress)> {
        Vec::new()
    }

    /// Returns no connection.
    pub(super) fn prepare_to_stop(&self) -> impl Future<Output = Vec<SocketAddr>> + Send + use<> {
        ready(Vec::new())
    }

    /// Returns that all requests are completed.
    pub(super) async fn stop(self, _: Instant) -> bool {
        true
    }
}
