use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::hosted::Hosted;
use crate::model::ModelSpec;

use super::loads::Loads;

/// A model whose instances are behind tritonserver, which may be away.
#[derive(Debug)]
pub(super) struct HostedLoads {
    pub(super) loads: Arc<Loads>,
    pub(super) away: Arc<AtomicBool>,
}

impl Hosted for HostedLoads {
    fn spec(&self) -> &Arc<ModelSpec> {
        self.loads.spec()
    }

    fn is_loaded(&self) -> Option<bool> {
        // Relaxed: whoever asks in this moment may hear either.
        match self.loads.is_loaded() {
            false if self.away.load(Ordering::Relaxed) => None,
            loaded => Some(loaded),
        }
    }
}
