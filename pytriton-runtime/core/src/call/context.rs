use std::sync::Arc;

use tracing::Span;

use crate::memory_budget::MemoryBudget;
use crate::model::{Device, ModelSpec};

use super::Health;

/// The environment of a function: model configuration, instance, device and logger.
#[derive(Debug, Clone)]
pub struct Context {
    model: Arc<ModelSpec>,
    instance: u32,
    device: Device,
    logger: Span,
    /// The budget for data derived from requests.
    budget: Option<Arc<MemoryBudget>>,
    health: Health,
}

impl Context {
    /// Creates the context of an instance.
    pub fn new(model: Arc<ModelSpec>, instance: u32) -> Self {
        let logger = tracing::info_span!("instance", model = &*model.name, number = instance);
        Self {
            device: model.instances.device(instance),
            model,
            instance,
            logger,
            budget: None,
            health: Health::IGNORED,
        }
    }

    /// Sets the device, if it differs from the model configuration.
    pub fn on(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// Sets the budget for data that steps derive from requests.
    pub fn counted_in(self, budget: &Arc<MemoryBudget>) -> Self {
        let budget = Some(Arc::clone(budget));
        Self { budget, ..self }
    }

    /// Sets the handler for fatal errors.
    pub fn with_health(self, health: Health) -> Self {
        Self { health, ..self }
    }

    /// Returns the handler for fatal errors.
    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    pub(crate) fn budget(&self) -> Option<&Arc<MemoryBudget>> {
        self.budget.as_ref()
    }

    /// Returns the configuration of the model.
    pub fn model(&self) -> &ModelSpec {
        &self.model
    }

    /// Returns the index of the instance, starting at 0.
    pub fn instance(&self) -> u32 {
        self.instance
    }

    /// Returns the device on which the instance must compute. The function opens the device itself.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the tracing span of this instance, for use as in `tracing::info!(parent:
    /// context.logger(), "…")`.
    pub fn logger(&self) -> &Span {
        &self.logger
    }
}
