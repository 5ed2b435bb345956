use std::sync::Arc;
use std::vec::Drain;

use crate::shm::Lender;
use crate::sync::Mutex;
use crate::wire::Up;

use super::end::{End, lock};

/// The part of a session that tensors of its batches keep alive.
#[derive(Debug)]
pub(super) struct Lending {
    pub(super) end: Arc<End>,
    returned: Mutex<Returned>,
}

/// The batches whose memory was returned.
#[derive(Debug, Default)]
struct Returned {
    /// Batches that were taken and are not answered. Their return is reported with their last
    /// response.
    open: Vec<u64>,
    /// Batches that were returned but not reported yet.
    unsaid: Vec<u64>,
}

impl Lending {
    pub(super) fn new(end: Arc<End>) -> Self {
        let returned = Mutex::default();
        Self { end, returned }
    }

    /// Registers a batch that was taken.
    pub(super) fn open(&self, batch: u64) {
        lock(&self.returned).open.push(batch);
    }

    /// Returns whether a batch was taken and is not answered.
    pub(super) fn is_open(&self, batch: u64) -> bool {
        lock(&self.returned).open.contains(&batch)
    }

    /// Registers that a batch is answered. `say` receives all batches that were returned but not
    /// reported, before there can be more.
    pub(super) fn finish<T>(&self, batch: u64, say: impl FnOnce(Drain<'_, u64>) -> T) -> T {
        let mut returned = lock(&self.returned);
        returned.open.retain(|open| *open != batch);
        say(returned.unsaid.drain(..))
    }
}

impl Lender for Lending {
    fn returned(&self, batch: u64) {
        let mut returned = lock(&self.returned);
        returned.unsaid.push(batch);
        if returned.open.contains(&batch) {
            return;
        }
        // A tensor was kept longer than its batch. If the return cannot be reported now, it is
        // reported with the next responses.
        let Ok(mut outgoing) = self.end.outgoing.try_lock() else {
            return;
        };
        let ring = self.end.out();
        while let Some(&batch) = returned.unsaid.last() {
            let message = Up::Returned { batch }.to_message();
            if outgoing.push(&ring, &message).is_err() {
                break;
            }
            returned.unsaid.pop();
        }
        outgoing.producer.publish(&ring);
    }
}
