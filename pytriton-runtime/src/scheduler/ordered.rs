use std::sync::{Arc, Mutex, PoisonError};

use crate::request::Few;

use super::Policy;
use super::message::Reply;
use super::order::Order;
use super::sink::ReplySink;

/// Where responses wait for those to earlier requests.
///
/// They wait with whoever hears them, and go with them. Here is left where they go when it is their turn.
#[derive(Debug)]
pub(super) struct Ordered {
    order: Mutex<Order<Few<ReplySink>>>,
    /// There is one more of it for each response that waits.
    counted: Arc<()>,
    most: usize,
}

impl Ordered {
    /// No more are to wait here than requests may before their execution.
    pub(super) fn new(policy: &Policy) -> Self {
        let sizes = policy.levels.iter().map(|level| level.max_queue_size);
        Self {
            order: Mutex::new(Order::new()),
            counted: Arc::default(),
            most: sizes.max().unwrap_or_default(),
        }
    }

    /// Whether as many responses wait as are to.
    pub(super) fn is_full(&self) -> bool {
        self.held() >= self.most
    }

    /// How many responses wait.
    pub(super) fn held(&self) -> usize {
        Arc::strong_count(&self.counted) - 1
    }

    /// Sends the responses of a batch once those of all earlier ones are sent.
    pub(super) fn respond(&self, sequence: u64, finished: Few<Reply>) {
        let replies = finished.into_iter();
        let kept = replies.map(|reply| reply.keep(&self.counted)).collect();
        // Under the lock: nobody sends what comes later before this.
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        for leaving in order.finish(sequence, kept, heard) {
            leaving.into_iter().for_each(ReplySink::let_go);
        }
    }
}

/// Those of a batch that somebody hears.
fn heard(batch: Few<ReplySink>) -> Option<Few<ReplySink>> {
    let batch = batch.into_iter();
    let heard: Few<ReplySink> = batch.filter(|sink| !sink.is_unheard()).collect();
    (!heard.is_empty()).then_some(heard)
}
