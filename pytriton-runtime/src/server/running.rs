use std::fmt;
use std::sync::Arc;
#[cfg(feature = "embedded")]
use std::time::Duration;

#[cfg(feature = "embedded")]
use tokio::runtime::Handle;
#[cfg(feature = "embedded")]
use tokio::time::Instant;

use crate::model::ModelSpec;
use crate::registry::Registration;
#[cfg(feature = "embedded")]
use crate::repository::ModelRepository;

#[cfg(feature = "embedded")]
use super::blocking::{on_new_thread, wait};
use super::{Addresses, ServerError};

/// An engine that serves.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) addresses: Addresses,
    pub(super) engine: RunningEngine,
}

pub(super) enum RunningEngine {
    #[cfg(feature = "embedded")]
    Embedded {
        models: Arc<ModelRepository>,
        /// The runtime that serves.
        workers: Handle,
    },
    #[cfg(tritonserver)]
    Tritonserver {
        /// Returns whether every model has an available instance.
        ready: Box<dyn Fn() -> bool + Send + Sync>,
        /// Returns whether a model is loaded.
        has: Box<dyn Fn(&ModelSpec) -> bool + Send + Sync>,
    },
}

impl Running {
    /// Loads another model.
    pub(super) fn load(&self, model: &Registration) -> Result<(), ServerError> {
        match &self.engine {
            #[cfg(feature = "embedded")]
            RunningEngine::Embedded { models, workers } => {
                // No model with this name and version exists that it could replace.
                on_new_thread(|| workers.block_on(models.load(model)))?;
                Ok(())
            }
            #[cfg(tritonserver)]
            RunningEngine::Tritonserver { .. } => Err(ServerError::Fixed {
                model: Arc::clone(&model.spec.name),
                verb: "added",
            }),
        }
    }

    /// Unloads a model. Waits up to `seconds` until its accepted requests are completed.
    pub(super) fn unload(&self, model: &ModelSpec, seconds: u64) -> Result<(), ServerError> {
        match &self.engine {
            #[cfg(feature = "embedded")]
            RunningEngine::Embedded { models, workers } => {
                let unloaded = models.unload(&model.name, model.version);
                let Some(unloaded) = on_new_thread(|| workers.block_on(unloaded)) else {
                    return Ok(());
                };
                let now = Instant::now();
                let deadline = now.checked_add(Duration::from_secs(seconds)).unwrap_or(now);
                match wait(unloaded.drain(deadline))? {
                    true => Ok(()),
                    false => {
                        unloaded.abandon();
                        Err(ServerError::Unbind {
                            model: Arc::clone(&model.name),
                            seconds,
                        })
                    }
                }
            }
            #[cfg(tritonserver)]
            RunningEngine::Tritonserver { .. } => {
                let _ = seconds;
                Err(ServerError::Fixed {
                    model: Arc::clone(&model.name),
                    verb: "removed",
                })
            }
        }
    }
}

impl RunningEngine {
    /// Returns the name of the engine, as in `--engine`.
    pub(super) fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "embedded")]
            Self::Embedded { .. } => "embedded",
            #[cfg(tritonserver)]
            Self::Tritonserver { .. } => "tritonserver",
        }
    }

    /// Returns whether every model has an available instance.
    pub(super) fn ready(&self) -> bool {
        match self {
            #[cfg(feature = "embedded")]
            Self::Embedded { models, .. } => models.ready(),
            #[cfg(tritonserver)]
            Self::Tritonserver { ready, .. } => ready(),
        }
    }

    /// Returns whether a model is loaded.
    pub(super) fn has(&self, model: &ModelSpec) -> bool {
        match self {
            #[cfg(feature = "embedded")]
            Self::Embedded { models, .. } => models.is_there(&model.name, model.version),
            #[cfg(tritonserver)]
            Self::Tritonserver { has, .. } => has(model),
        }
    }
}

impl fmt::Debug for RunningEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
