use std::sync::Arc;

use pytriton_core::instance::FatalError;
use pytriton_core::memory_budget::MemoryBudget;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::Workers;

/// The resources shared by the schedulers of a process.
#[derive(Debug, Clone)]
pub struct Resources {
    /// The threads that may execute inline functions.
    pub workers: Arc<Workers>,
    /// The memory budget of all requests and responses.
    pub budget: Arc<MemoryBudget>,
    /// The fatal error of a model, if any.
    pub fatal_error: Arc<watch::Sender<Option<FatalError>>>,
    /// Notified whenever the readiness of a model may have changed.
    pub readiness: Arc<watch::Sender<()>>,
}

impl Resources {
    /// Creates resources with the threads of a runtime and a memory limit in bytes.
    pub fn new(runtime: &Handle, max_bytes: usize) -> Self {
        Self {
            workers: Workers::of(runtime),
            budget: MemoryBudget::new(max_bytes),
            fatal_error: Arc::new(watch::Sender::new(None)),
            readiness: Arc::new(watch::Sender::new(())),
        }
    }
}
