//! Replaces the ports next to a tritonserver in a binary without the embedded engine.

use std::future::{pending, ready};
use std::net::SocketAddr;
use std::sync::Arc;

use pytriton_engine::{PortAddress, RunningTritonserver};
use pytriton_tritonserver::server::TritonserverError;
use tokio::time::Instant;

use crate::instance::FatalError;
use crate::port::Port;
use crate::registry::Registry;

use super::{Options, ServerError};

/// The models that functions call next to a tritonserver: none, because the embedded engine runs
/// them.
#[derive(Debug)]
pub(super) struct CalledModels;

impl CalledModels {
    /// Refuses models that call others, because this binary cannot run such calls.
    pub(super) async fn start(registry: &Registry, _: &Options) -> Result<Self, ServerError> {
        match registry.iter().find(|spec| !spec.callees.is_empty()) {
            Some(spec) => Err(TritonserverError::NoCalls {
                model: Arc::clone(&spec.name),
            }
            .into()),
            None => Ok(Self),
        }
    }

    /// Returns the registry.
    pub(super) fn callable_from(&self, registry: &Registry) -> Registry {
        registry.clone()
    }

    /// Never completes, because there are no models.
    pub(super) fn broken(&self) -> impl Future<Output = Option<FatalError>> + Send + use<> {
        pending()
    }

    /// Returns that all calls are completed.
    pub(super) async fn stop(self, _: Instant) -> bool {
        true
    }
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
