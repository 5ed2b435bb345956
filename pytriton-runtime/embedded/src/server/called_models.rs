use std::future::pending;

use pytriton_core::instance::FatalError;
use pytriton_core::registry::Registry;
use pytriton_engine::options::{ControlMode, ControlOptions, Options};
use tokio::time::Instant;

use crate::metrics::MetricsConfig;

use super::{EmbeddedError, Server};

/// The models that functions call next to a tritonserver. They are loaded in this process, in
/// addition to the instances that run tritonserver's batches.
#[derive(Debug, Default)]
pub struct CalledModels(Option<Server>);

impl CalledModels {
    /// Loads the models that other models of the registry call.
    ///
    /// # Errors
    ///
    /// Returns [`EmbeddedError`] if a model does not exist or cannot be loaded.
    pub async fn start(registry: &Registry, options: &Options) -> Result<Self, EmbeddedError> {
        registry.check_served()?;
        let called = registry.called_models();
        if called.is_empty() {
            return Ok(Self::default());
        }
        // tritonserver controls its own instances only.
        let control = ControlOptions {
            model_control_mode: ControlMode::None,
            load_model: Vec::new(),
            ..options.control.clone()
        };
        let metrics = MetricsConfig::default();
        let server = Server::load(&called, options.bounds(), control, metrics).await?;
        Ok(Self(Some(server)))
    }

    /// Returns the registry whose models can call them.
    pub fn callable_from(&self, registry: &Registry) -> Registry {
        match &self.0 {
            Some(server) => registry.with_models(&server.models().local_models()),
            None => registry.clone(),
        }
    }

    /// Waits for a fatal error of a called model.
    pub fn broken(&self) -> impl Future<Output = Option<FatalError>> + Send + use<> {
        let broken = self.0.as_ref().map(|server| server.models().broken());
        async move {
            match broken {
                Some(broken) => broken.await,
                None => pending().await,
            }
        }
    }

    /// Waits until accepted calls are completed. Returns whether they were by `deadline`.
    pub async fn stop(self, deadline: Instant) -> bool {
        let Some(server) = self.0 else {
            return true;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        server.stop(left).await
    }
}
