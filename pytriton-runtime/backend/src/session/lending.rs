use std::sync::Arc;
use std::vec::Drain;

use crate::shm::Lender;
use crate::sync::Mutex;
use crate::wire::Up;

use super::end::{End, lock};

/// What those have of a session, too, that keep tensors of its batches.
#[derive(Debug)]
pub(super) struct Lending {
    pub(super) end: Arc<End>,
    returned: Mutex<Returned>,
}

/// Which batches nobody reads any more.
#[derive(Debug, Default)]
struct Returned {
    /// Batches that were taken and are not answered: tritonserver hears of their return with their last answer.
    open: Vec<u64>,
    /// Batches that were returned and of which tritonserver has not heard.
    unsaid: Vec<u64>,
}

impl Lending {
    pub(super) fn new(end: Arc<End>) -> Self {
        let returned = Mutex::default();
        Self { end, returned }
    }

    /// Notes that a batch was taken.
    pub(super) fn open(&self, batch: u64) {
        lock(&self.returned).open.push(batch);
    }

    /// Whether a batch was taken and is not answered.
    pub(super) fn is_open(&self, batch: u64) -> bool {
        lock(&self.returned).open.contains(&batch)
    }

    /// Notes that a batch is answered; `say` is called with each that was returned and of which tritonserver has not heard,
    /// before there can be more.
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
        // Somebody kept a tensor for longer than its batch. Where it cannot be said now, it is said with the next answers.
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
