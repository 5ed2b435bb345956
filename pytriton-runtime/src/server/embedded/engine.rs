use std::sync::{Arc, Weak};
use std::time::Duration;

use pytriton_embedded::server::EmbeddedError;
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::local_models::LocalModels;
use crate::model::ModelSpec;
use crate::registry::Registration;
use crate::repository::ModelRepository;
use crate::server::ServerError;
use crate::server::blocking::{on_new_thread, wait};
use crate::server::engine::Engine;

/// The embedded engine.
#[derive(Debug)]
pub(in crate::server) struct EmbeddedEngine {
    pub(in crate::server) models: Arc<ModelRepository>,
    /// The runtime that serves.
    pub(in crate::server) workers: Handle,
}

impl Engine for EmbeddedEngine {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn ready(&self) -> bool {
        self.models.ready()
    }

    fn has(&self, model: &ModelSpec) -> bool {
        self.models.is_there(&model.name, model.version)
    }

    fn local_models(&self) -> Option<Weak<dyn LocalModels>> {
        Some(self.models.local_models())
    }

    fn load(&self, model: &Registration) -> Result<(), ServerError> {
        // No model with this name and version exists that it could replace.
        let loaded = on_new_thread(|| self.workers.block_on(self.models.load(model)));
        loaded.map_err(EmbeddedError::from)?;
        Ok(())
    }

    fn unload(&self, model: &ModelSpec, seconds: u64) -> Result<(), ServerError> {
        let unloaded = self.models.unload(&model.name, model.version);
        let Some(unloaded) = on_new_thread(|| self.workers.block_on(unloaded)) else {
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
}
