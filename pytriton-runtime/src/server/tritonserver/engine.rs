use std::sync::{Arc, Weak};

use crate::local_models::LocalModels;
use crate::model::ModelSpec;
use crate::registry::Registration;
use crate::server::ServerError;
use crate::server::engine::Engine;
use crate::worker::ServedModels;

/// The tritonserver engine. Its models are fixed at startup.
#[derive(Debug)]
pub(super) struct TritonserverEngine(pub(super) ServedModels);

impl Engine for TritonserverEngine {
    fn name(&self) -> &'static str {
        "tritonserver"
    }

    fn ready(&self) -> bool {
        self.0.are_ready()
    }

    fn has(&self, model: &ModelSpec) -> bool {
        self.0.has(model)
    }

    fn local_models(&self) -> Option<Weak<dyn LocalModels>> {
        None
    }

    fn load(&self, model: &Registration) -> Result<(), ServerError> {
        Err(ServerError::Fixed {
            model: Arc::clone(&model.spec.name),
            verb: "added",
        })
    }

    fn unload(&self, model: &ModelSpec, _: u64) -> Result<(), ServerError> {
        Err(ServerError::Fixed {
            model: Arc::clone(&model.name),
            verb: "removed",
        })
    }
}
