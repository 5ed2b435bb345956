use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::memory_budget::MemoryBudget;
use crate::runner::Breakdown;

use super::Workers;

/// What the schedulers of a process share.
#[derive(Debug, Clone)]
pub struct Resources {
    /// The threads that may call a quick function themselves.
    pub workers: Arc<Workers>,
    /// The bytes that all requests and responses may hold.
    pub budget: Arc<MemoryBudget>,
    /// Why one of the models is beyond repair.
    pub breakdown: Arc<watch::Sender<Option<Breakdown>>>,
    /// Is notified whenever the readiness of one of the models may have changed.
    pub readiness: Arc<watch::Sender<()>>,
}

impl Resources {
    /// The threads of a runtime, and so many bytes.
    pub fn new(runtime: &Handle, max_bytes: usize) -> Self {
        Self {
            workers: Workers::of(runtime),
            budget: MemoryBudget::new(max_bytes),
            breakdown: Arc::new(watch::Sender::new(None)),
            readiness: Arc::new(watch::Sender::new(())),
        }
    }
}
