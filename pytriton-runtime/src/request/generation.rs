use std::sync::{Arc, OnceLock, Weak};

use super::Ended;

/// One of the sequences that have the same id one after the other, as the table that knows them tells them apart.
///
/// It is held as long as it goes on or has a request that waits or is executed, and then it is over.
#[derive(Debug)]
pub(crate) struct Generation {
    number: u64,
    over: OnceLock<Arc<Ended>>,
}

/// What a request knows of its generation. A copy, which may lie in the very state that goes with it, does not hold it.
#[derive(Debug, Default)]
pub(super) struct Membership {
    generation: Weak<Generation>,
    _held: Option<Arc<Generation>>,
}

impl Generation {
    pub(crate) fn new(number: u64) -> Arc<Self> {
        Arc::new(Self {
            number,
            over: OnceLock::new(),
        })
    }

    /// Tells it from all others of its model.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Lets the first who asks know when it is over.
    pub(crate) fn tell(&self, over: &Arc<Ended>) {
        self.over.get_or_init(|| Arc::clone(over));
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        if let Some(over) = self.over.get() {
            over.tell(self.number);
        }
    }
}

impl Membership {
    pub(super) fn of(generation: &Arc<Generation>) -> Self {
        Self {
            generation: Arc::downgrade(generation),
            _held: Some(Arc::clone(generation)),
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
            _held: None,
        }
    }
}

/// It is no part of what a client says.
impl PartialEq for Membership {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Membership {}
