use super::batch::Batch;
use crate::failure::Failure;
use crate::instance::Instance;

/// Executes the batches of an instance of a model.
pub trait Executor: Send + Sync + Sized + 'static {
    /// Creates the executor of an instance.
    ///
    /// # Errors
    ///
    /// Returns a [`Failure`] for Triton's log. Triton then does not load the model.
    fn start(instance: &Instance) -> Result<Self, Failure>;

    /// Accepts a batch and responds to its requests, now or later. Triton gives the instance the
    /// next batch when this returns. Until then, queued requests can be batched.
    fn execute(&self, batch: Batch);

    /// Returns whether batches can be executed.
    fn is_ready(&self) -> bool {
        true
    }
}
