use std::sync::Arc;

use tokio::runtime::Handle;

use crate::budget::Budget;

use super::Workers;

/// What the schedulers of a process share.
#[derive(Debug, Clone)]
pub struct Resources {
    /// The threads that may call a quick function themselves.
    pub workers: Arc<Workers>,
    /// The bytes that all requests and responses may hold.
    pub budget: Arc<Budget>,
}

impl Resources {
    /// The threads of a runtime, and so many bytes.
    pub fn new(runtime: &Handle, max_bytes: usize) -> Self {
        Self {
            workers: Workers::of(runtime),
            budget: Budget::new(max_bytes),
        }
    }
}
