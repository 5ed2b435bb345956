use std::sync::Arc;
use std::vec::Drain;

use crate::protocol::ToServer;
use crate::shm::RegionOwner;
use crate::sync::Mutex;

use super::end::{End, lock};

/// The part of a session that tensors of its batches keep alive.
#[derive(Debug)]
pub(super) struct RegionReturns {
    pub(super) end: Arc<End>,
    returned: Mutex<ReturnState>,
}

/// The batches whose memory was returned.
#[derive(Debug, Default)]
struct ReturnState {
    /// Batches that were taken and are not completed. Their return is reported with their last
    /// response.
    open: Vec<u64>,
    /// Batches that were returned but not reported yet.
    unreported: Vec<u64>,
}

impl RegionReturns {
    pub(super) fn new(end: Arc<End>) -> Self {
        let returned = Mutex::default();
        Self { end, returned }
    }

    /// Registers a batch that was taken.
    pub(super) fn open(&self, batch: u64) {
        lock(&self.returned).open.push(batch);
    }

    /// Returns whether a batch was taken and is not completed.
    pub(super) fn is_open(&self, batch: u64) -> bool {
        lock(&self.returned).open.contains(&batch)
    }

    /// Registers that a batch is completed. `report` receives all batches that were returned but
    /// not reported, before there can be more.
    pub(super) fn finish<T>(&self, batch: u64, report: impl FnOnce(Drain<'_, u64>) -> T) -> T {
        let mut returned = lock(&self.returned);
        returned.open.retain(|open| *open != batch);
        report(returned.unreported.drain(..))
    }
}

impl RegionOwner for RegionReturns {
    fn returned(&self, batch: u64) {
        let mut returned = lock(&self.returned);
        returned.unreported.push(batch);
        if returned.open.contains(&batch) {
            return;
        }
        // A tensor was kept longer than its batch. If the return cannot be reported now, it is
        // reported with the next responses.
        let Ok(mut outgoing) = self.end.outgoing.try_lock() else {
            return;
        };
        let ring = self.end.out();
        while let Some(&batch) = returned.unreported.last() {
            let message = ToServer::Returned { batch }.to_message();
            if outgoing.push(&ring, &message).is_err() {
                break;
            }
            returned.unreported.pop();
        }
        outgoing.producer.publish(&ring);
    }
}
