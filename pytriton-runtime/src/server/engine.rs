use std::any::Any;
use std::fmt::Debug;
use std::sync::Weak;

use crate::local_models::LocalModels;
use crate::model::ModelSpec;
use crate::registry::Registration;

use super::ServerError;

/// An engine that serves. It is used from the threads of the program.
pub(super) trait Engine: Any + Debug + Send + Sync {
    /// Returns the name of the engine, as in `--engine`.
    fn name(&self) -> &'static str;

    /// Returns whether every model has an available instance.
    fn ready(&self) -> bool;

    /// Returns whether a model is loaded.
    fn has(&self, model: &ModelSpec) -> bool;

    /// Returns the models for calls within the process.
    fn local_models(&self) -> Option<Weak<dyn LocalModels>>;

    /// Loads another model.
    fn load(&self, model: &Registration) -> Result<(), ServerError>;

    /// Unloads a model. Waits up to `seconds` until its accepted requests are completed.
    fn unload(&self, model: &ModelSpec, seconds: u64) -> Result<(), ServerError>;
}
