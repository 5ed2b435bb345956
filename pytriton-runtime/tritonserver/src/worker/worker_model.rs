use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pytriton_core::model::ModelSpec;
use pytriton_engine::loaded_models::LoadedModel;

use super::loads::Loads;

/// A model whose instances are behind a tritonserver that may be down.
#[derive(Debug)]
pub(super) struct WorkerModel {
    pub(super) loads: Arc<Loads>,
    pub(super) down: Arc<AtomicBool>,
}

impl LoadedModel for WorkerModel {
    fn spec(&self) -> &Arc<ModelSpec> {
        self.loads.spec()
    }

    fn is_loaded(&self) -> Option<bool> {
        // Relaxed: at the moment of a change either value is correct.
        match self.loads.is_loaded() {
            false if self.down.load(Ordering::Relaxed) => None,
            loaded => Some(loaded),
        }
    }
}
