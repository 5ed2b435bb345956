//! Replaces the module of the embedded engine in a binary without it.

use std::future::ready;
use std::net::SocketAddr;

use pytriton_engine::{PortAddress, RunningTritonserver};
use pytriton_tritonserver::server::TritonserverError;
use tokio::time::Instant;

use crate::port::Port;
use crate::registry::Registry;

use super::choice::ChoiceError;
use super::chosen_engine::ChosenEngine;
use super::{Options, ServerError};

/// Returns an error: this binary has no embedded engine.
pub(super) fn choose(_: String) -> Result<Box<dyn ChosenEngine>, ServerError> {
    Err(ChoiceError::NoEmbedded.into())
}

/// Returns `None`: only the embedded engine has this limit.
pub(super) fn max_bytes_in_flight(_: &Options) -> Option<usize> {
    None
}

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
