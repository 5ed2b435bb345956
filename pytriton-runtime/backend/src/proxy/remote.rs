use std::sync::{Arc, Mutex, PoisonError};

use crate::ffi::Batch;
use crate::gather::Gathering;
use crate::session::SessionError;

use super::failure::failure;
use super::link::Link;

/// The worker's side of an instance: the link to it, and the state for gathering its batches.
#[derive(Debug)]
pub(super) struct Remote {
    link: Arc<Link>,
    /// The state of the batch that is being handed over.
    gathering: Mutex<Gathering>,
}

impl Remote {
    pub(super) fn new(link: Arc<Link>) -> Arc<Self> {
        let gathering = Gathering::new(link.names(), Arc::clone(link.started()));
        Arc::new(Self {
            link,
            gathering: Mutex::new(gathering),
        })
    }

    /// Returns whether the model serves sequences, whose state is behind the session.
    pub(super) fn is_sequential(&self) -> bool {
        self.link.names().has_sequences()
    }

    /// Returns whether batches can be executed.
    pub(super) fn is_ready(&self) -> bool {
        self.link.is_ready()
    }

    /// Executes a batch, after those that are already in flight.
    pub(super) fn execute(&self, mut batch: Batch) {
        // The state is rewritten for each batch, so a panic cannot leave it inconsistent.
        let gathering = self.gathering.lock();
        let mut gathering = gathering.unwrap_or_else(PoisonError::into_inner);
        match self.link.session() {
            Some(session) => session.execute(batch, &mut gathering),
            None => {
                batch.fail_all(&failure(&SessionError::Closed));
                batch.send();
            }
        }
    }

    /// Completes the batches in flight, and ends.
    pub(super) fn stop(&self) {
        self.link.stop();
    }
}
