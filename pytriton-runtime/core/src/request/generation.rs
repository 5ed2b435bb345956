use std::sync::{Arc, OnceLock, Weak};

use super::Ended;

/// One of several successive sequences with the same ID, as distinguished by the sequence table.
///
/// It is kept while the sequence continues or has a queued or running request. Dropping the last
/// reference ends the generation.
#[derive(Debug)]
pub struct Generation {
    number: u64,
    ended: OnceLock<Arc<Ended>>,
}

/// The generation of a request. A copy does not keep the generation alive, because it may be stored
/// in the state that belongs to it.
#[derive(Debug, Default)]
pub(super) struct Membership {
    generation: Weak<Generation>,
    _guard: Option<Arc<Generation>>,
}

impl Generation {
    /// Creates the generation with this number.
    pub fn new(number: u64) -> Arc<Self> {
        Arc::new(Self {
            number,
            ended: OnceLock::new(),
        })
    }

    /// Returns the number, which is unique within the model.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Registers where to report the end of the generation. Only the first call has an effect.
    pub(crate) fn report_end_to(&self, ended: &Arc<Ended>) {
        self.ended.get_or_init(|| Arc::clone(ended));
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        if let Some(ended) = self.ended.get() {
            ended.report(self.number);
        }
    }
}

impl Membership {
    pub(super) fn of(generation: &Arc<Generation>) -> Self {
        Self {
            generation: Arc::downgrade(generation),
            _guard: Some(Arc::clone(generation)),
        }
    }

    pub(super) fn generation(&self) -> Option<Arc<Generation>> {
        self.generation.upgrade()
    }
}

impl Clone for Membership {
    fn clone(&self) -> Self {
        Self {
            generation: Weak::clone(&self.generation),
            _guard: None,
        }
    }
}

/// The generation is not part of the client's data.
impl PartialEq for Membership {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Membership {}
