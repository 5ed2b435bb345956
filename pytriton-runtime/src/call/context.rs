use std::sync::Arc;

use tracing::Span;

use crate::model::{Device, ModelSpec};

/// What a function may know of where it runs: its model's configuration, its instance, its logger.
#[derive(Debug, Clone)]
pub struct Context {
    model: Arc<ModelSpec>,
    instance: u32,
    device: Device,
    logger: Span,
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
        }
    }

    /// The same on another device than the model's configuration says.
    #[cfg(tritonserver)]
    pub(crate) fn on(self, device: Device) -> Self {
        Self { device, ..self }
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
