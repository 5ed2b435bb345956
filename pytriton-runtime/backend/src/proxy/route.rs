use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::ffi::Batch;

use super::remote::Remote;

/// Where the batches of an instance are executed.
///
/// What lies behind the session of a model with sequences is their state. A batch that is executed
/// elsewhere leaves state there that nobody drops and that a later batch would find. So such a
/// batch never leaves its instance: only [`Shared`] can obtain another instance, and there is none
/// for such a model.
#[derive(Debug)]
pub(super) enum Route {
    /// On the instance alone.
    Bound(Arc<Remote>),
    /// On any instance of the same load.
    Shared(Shared),
}

/// An instance whose batches every instance of its load can execute, because its function keeps
/// nothing of a batch that the next one needs.
#[derive(Debug)]
pub(super) struct Shared {
    own: Arc<Remote>,
    load: u64,
}

/// The shared instances of all loads, each with the number of its load.
static SHARED: Mutex<Vec<(u64, Weak<Remote>)>> = Mutex::new(Vec::new());

impl Route {
    /// The route of an instance of a load.
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

    /// Whether the instance itself can execute batches.
    pub(super) fn is_ready(&self) -> bool {
        self.own().is_ready()
    }

    /// Answers what is under way on the instance, and ends.
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
    /// `None` for an instance of a model with sequences.
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

    /// The instance itself if it is ready, or another one of its load that is.
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
