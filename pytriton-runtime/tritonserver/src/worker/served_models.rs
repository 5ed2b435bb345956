use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pytriton_core::instance::Availability;
use pytriton_core::model::ModelSpec;

use super::listener::Listener;

/// The state of the models behind a tritonserver. It may outlive the worker.
#[derive(Debug)]
pub struct ServedModels {
    listener: Arc<Listener>,
    down: Arc<AtomicBool>,
}

impl ServedModels {
    pub(super) fn new(listener: &Arc<Listener>, down: &Arc<AtomicBool>) -> Self {
        Self {
            listener: Arc::clone(listener),
            down: Arc::clone(down),
        }
    }

    /// Returns whether tritonserver runs and every model has an instance that accepts requests.
    pub fn are_ready(&self) -> bool {
        let mut models = self.listener.sessions();
        !self.down.load(Ordering::Relaxed)
            && models.all(|sessions| sessions.instances.availability() == Availability::Ready)
    }

    /// Like [`has`](Self::has), but returns `None` if that is unknown because tritonserver is down.
    pub(super) fn is_loaded(&self, model: &ModelSpec) -> Option<bool> {
        // Relaxed: at the moment of a change either value is correct.
        match self.has(model) {
            false if self.down.load(Ordering::Relaxed) => None,
            loaded => Some(loaded),
        }
    }

    /// Returns whether tritonserver has loaded a model.
    pub fn has(&self, model: &ModelSpec) -> bool {
        let found = self.listener.find(&model.name, model.version.into());
        found.is_some_and(|loads| loads.is_loaded())
    }
}
