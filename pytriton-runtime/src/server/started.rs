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
use crate::serving::ModelSet;

#[cfg(feature = "embedded")]
use super::apart::{apart, wait};
use super::{Addresses, ServerError};

/// An engine that serves.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) addresses: Addresses,
    pub(super) engine: StartedEngine,
}

pub(super) enum StartedEngine {
    #[cfg(feature = "embedded")]
    Embedded {
        models: Arc<ModelSet>,
        /// The threads that serve.
        workers: Handle,
    },
    #[cfg(tritonserver)]
    Tritonserver {
        /// Whether every model has an instance that takes requests.
        ready: Box<dyn Fn() -> bool + Send + Sync>,
        /// Whether a model is loaded.
        has: Box<dyn Fn(&ModelSpec) -> bool + Send + Sync>,
    },
}

impl Started {
    /// Serves one more model.
    pub(super) fn load(&self, model: &Registration) -> Result<(), ServerError> {
        match &self.engine {
            #[cfg(feature = "embedded")]
            StartedEngine::Embedded { models, workers } => {
                // There is none of its name and version that it could take the place of.
                apart(|| workers.block_on(models.load(model)))?;
                Ok(())
            }
            #[cfg(tritonserver)]
            StartedEngine::Tritonserver { .. } => Err(ServerError::Fixed {
                model: Arc::clone(&model.spec.name),
                verb: "come",
            }),
        }
    }

    /// Serves a model no longer, and waits so long until it has answered what it has accepted.
    pub(super) fn unload(&self, model: &ModelSpec, seconds: u64) -> Result<(), ServerError> {
        match &self.engine {
            #[cfg(feature = "embedded")]
            StartedEngine::Embedded { models, workers } => {
                let unloaded = models.unload(&model.name, model.version);
                let Some(unloaded) = apart(|| workers.block_on(unloaded)) else {
                    return Ok(());
                };
                let now = Instant::now();
                let deadline = now.checked_add(Duration::from_secs(seconds)).unwrap_or(now);
                match wait(unloaded.drain(deadline))? {
                    true => Ok(()),
                    false => {
                        unloaded.give_up();
                        Err(ServerError::Unbind {
                            model: Arc::clone(&model.name),
                            seconds,
                        })
                    }
                }
            }
            #[cfg(tritonserver)]
            StartedEngine::Tritonserver { .. } => {
                let _ = seconds;
                Err(ServerError::Fixed {
                    model: Arc::clone(&model.name),
                    verb: "go",
                })
            }
        }
    }
}

impl StartedEngine {
    /// As `--engine` has it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "embedded")]
            Self::Embedded { .. } => "embedded",
            #[cfg(tritonserver)]
            Self::Tritonserver { .. } => "tritonserver",
        }
    }

    /// Whether every model has an instance that takes requests.
    pub(super) fn ready(&self) -> bool {
        match self {
            #[cfg(feature = "embedded")]
            Self::Embedded { models, .. } => models.ready(),
            #[cfg(tritonserver)]
            Self::Tritonserver { ready, .. } => ready(),
        }
    }

    /// Whether a model is loaded.
    pub(super) fn has(&self, model: &ModelSpec) -> bool {
        match self {
            #[cfg(feature = "embedded")]
            Self::Embedded { models, .. } => models.is_there(&model.name, model.version),
            #[cfg(tritonserver)]
            Self::Tritonserver { has, .. } => has(model),
        }
    }
}

impl fmt::Debug for StartedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
