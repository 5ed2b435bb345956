use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::ffi::Batch;

use super::remote::Remote;

/// Decides where the batches of an instance execute.
///
/// A session of a sequence model holds the state of its sequences. A batch that runs elsewhere
/// would leave state there that is never dropped and that a later batch would find. So such a batch
/// never leaves its instance: only [`Shared`] can reach another instance, and it does not exist for
/// such a model.
#[derive(Debug)]
pub(super) enum Route {
    /// On this instance only.
    Bound(Arc<Remote>),
    /// On any instance of the same load.
    Shared(Shared),
}

/// An instance whose batches every instance of its load can execute, because its function keeps no
/// state between batches.
#[derive(Debug)]
pub(super) struct Shared {
    own: Arc<Remote>,
    load: u64,
}

/// The shared instances of all loads, each with the number of its load.
static SHARED: Mutex<Vec<(u64, Weak<Remote>)>> = Mutex::new(Vec::new());

impl Route {
    /// Creates the route of an instance.
    pub(super) fn new(own: Arc<Remote>, load: u64) -> Self {
        match Shared::new(&own, load) {
            Some(shared) => Self::Shared(shared),
            None => Self::Bound(own),
        }
    }

    /// Executes a batch.
    pub(super) fn execute(&self, batch: Batch) {
        match self {
            Self::Bound(own) => own.execute(batch),
            Self::Shared(shared) => shared.ready().execute(batch),
        }
    }

    /// Returns whether this instance can execute batches.
    pub(super) fn is_ready(&self) -> bool {
        self.own().is_ready()
    }

    /// Completes the batches in flight on this instance, and ends.
    pub(super) fn stop(&self) {
        self.own().stop();
    }

    fn own(&self) -> &Arc<Remote> {
        match self {
            Self::Bound(own) | Self::Shared(Shared { own, .. }) => own,
        }
    }
}

impl Shared {
    /// Returns `None` for an instance of a sequence model.
    fn new(own: &Arc<Remote>, load: u64) -> Option<Self> {
        if own.is_sequential() {
            return None;
        }
        let mut shared = lock();
        shared.retain(|(_, other)| other.strong_count() > 0);
        shared.push((load, Arc::downgrade(own)));
        let own = Arc::clone(own);
        Some(Self { own, load })
    }

    /// Returns this instance if it is ready, or another ready one of its load.
    fn ready(&self) -> Arc<Remote> {
        if self.own.is_ready() {
            return Arc::clone(&self.own);
        }
        let others: Vec<_> = lock()
            .iter()
            .filter(|(load, _)| *load == self.load)
            .filter_map(|(_, other)| other.upgrade())
            .collect();
        let ready = others.into_iter().find(|other| other.is_ready());
        ready.unwrap_or_else(|| Arc::clone(&self.own))
    }
}

fn lock() -> MutexGuard<'static, Vec<(u64, Weak<Remote>)>> {
    // No panic can leave the list inconsistent.
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}
