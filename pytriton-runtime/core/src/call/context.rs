use std::sync::{Arc, Weak};

use tracing::Span;

use crate::local_models::LocalModels;
use crate::memory_budget::MemoryBudget;
use crate::model::{Device, ModelSpec};
use crate::shared_state::{SharedState, SharedStates, StateType};

use super::{Health, ModelError};

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
    /// The models that the function can call. They own the instance.
    models: Option<Weak<dyn LocalModels>>,
    /// The states that the function can take.
    states: Arc<SharedStates>,
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
            models: None,
            states: Arc::default(),
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

    /// Sets the models that the function can call.
    pub fn with_models(self, models: Option<Weak<dyn LocalModels>>) -> Self {
        Self { models, ..self }
    }

    /// Returns the models that the function can call.
    pub(crate) fn models(&self) -> Option<&Weak<dyn LocalModels>> {
        self.models.as_ref()
    }

    /// Sets the states that the function can take.
    pub fn with_states(self, states: &Arc<SharedStates>) -> Self {
        let states = Arc::clone(states);
        Self { states, ..self }
    }

    /// Returns a shared state. It exists, because the registry checks that it does.
    pub(crate) fn state<T: SharedState>(&self) -> Result<&Arc<T>, ModelError> {
        self.states.find().ok_or_else(|| {
            let ty = StateType::of::<T>();
            let message = format!("the program provides no state of type `{ty}`");
            ModelError::internal(&self.model, &message)
        })
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
