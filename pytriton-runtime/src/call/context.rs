use std::sync::Arc;

use tracing::Span;

use crate::memory_budget::MemoryBudget;
use crate::model::{Device, ModelSpec};

use super::Health;

/// What a function may know of where it runs: its model's configuration, its instance, its logger.
#[derive(Debug, Clone)]
pub struct Context {
    model: Arc<ModelSpec>,
    instance: u32,
    device: Device,
    logger: Span,
    /// Where what is made of requests is counted.
    budget: Option<Arc<MemoryBudget>>,
    health: Health,
}

impl Context {
    /// The context of one instance.
    pub fn new(model: Arc<ModelSpec>, instance: u32) -> Self {
        let logger = tracing::info_span!("model", name = &*model.name, instance);
        Self {
            device: model.instances.device(instance),
            model,
            instance,
            logger,
            budget: None,
            health: Health::UNHEARD,
        }
    }

    /// The same on another device than the model's configuration says.
    #[cfg(tritonserver)]
    pub(crate) fn on(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// The same where what steps make of requests counts in that budget.
    pub(crate) fn counted_in(self, budget: &Arc<MemoryBudget>) -> Self {
        let budget = Some(Arc::clone(budget));
        Self { budget, ..self }
    }

    /// The same where somebody is told of errors after which nothing can be answered.
    pub(crate) fn told_to(self, health: Health) -> Self {
        Self { health, ..self }
    }

    /// Who is told of errors after which nothing can be answered.
    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    pub(crate) fn budget(&self) -> Option<&Arc<MemoryBudget>> {
        self.budget.as_ref()
    }

    /// The model's configuration.
    pub fn model(&self) -> &ModelSpec {
        &self.model
    }

    /// Which instance of the model this is, from 0.
    pub fn instance(&self) -> u32 {
        self.instance
    }

    /// Where this instance is to compute. It is for the function to open that device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The span that log lines of this instance belong to: `tracing::info!(parent: context.logger(), "…")`.
    pub fn logger(&self) -> &Span {
        &self.logger
    }
}
