use super::batch::Batch;
use crate::failure::Failure;

/// What executes the batches of an instance of a model.
pub trait Executor: Send + Sync + Sized + 'static {
    /// Makes the executor of an instance.
    ///
    /// # Errors
    ///
    /// A [`Failure`] for Triton's log, for which it does not load the model.
    fn start(instance: &Instance) -> Result<Self, Failure>;

    /// Takes a batch, which answers its requests itself, sooner or later. Triton gives the instance the next batch when this
    /// returns; until then the requests that wait gather company.
    fn execute(&self, batch: Batch);

    /// Whether batches can be executed.
    fn is_ready(&self) -> bool {
        true
    }
}

/// Which instance is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The model's name.
    pub model: String,
    /// The model's version.
    pub version: u64,
    /// Tells models apart that are loaded at the same time.
    pub loaded_model: usize,
    /// The instance's name.
    pub name: String,
    /// The GPU on which Triton has put it; `None` for any other place.
    pub gpu: Option<u32>,
}
