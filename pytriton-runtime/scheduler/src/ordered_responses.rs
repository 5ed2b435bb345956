use std::sync::Arc;

use parking_lot::Mutex;
use pytriton_core::request::SmallVec;
use pytriton_core::response_channel::{Outcome, ResponseSender};

use super::Policy;
use super::reorder_buffer::ReorderBuffer;

/// Holds responses back until those to earlier requests have been sent.
///
/// The responses are stored in their channels and disappear with the receivers. This structure
/// keeps the senders.
#[derive(Debug)]
pub(super) struct OrderedResponses {
    order: Mutex<ReorderBuffer<SmallVec<ResponseSender>>>,
    /// Cloned for each response that is held back.
    counted: Arc<()>,
    most: usize,
}

impl OrderedResponses {
    /// Holds at most as many responses as requests may wait.
    pub(super) fn new(policy: &Policy) -> Self {
        Self {
            order: Mutex::new(ReorderBuffer::new()),
            counted: Arc::default(),
            // A model that preserves the order has only one level.
            most: policy.limits_of(policy.default_level).max_queue_size,
        }
    }

    /// Returns whether the maximum number of responses is held.
    pub(super) fn is_full(&self) -> bool {
        self.held() >= self.most
    }

    /// Returns the number of responses that are held.
    pub(super) fn held(&self) -> usize {
        Arc::strong_count(&self.counted) - 1
    }

    /// Sends the responses of a batch once those of all earlier batches are sent.
    pub(super) fn respond(
        &self,
        sequence: u64,
        outcomes: impl Iterator<Item = (ResponseSender, Outcome)>,
    ) {
        let senders = outcomes.map(|(sink, outcome)| {
            sink.hold_last(outcome, &self.counted);
            sink
        });
        let senders = senders.collect();
        // Send under the lock, so that later responses cannot overtake these.
        let mut order = self.order.lock();
        for leaving in order.finish(sequence, senders, open_senders) {
            leaving.into_iter().for_each(ResponseSender::release_last);
        }
    }
}

/// Returns the senders of a batch whose receivers still exist.
fn open_senders(batch: SmallVec<ResponseSender>) -> Option<SmallVec<ResponseSender>> {
    let batch = batch.into_iter();
    let open_senders: SmallVec<ResponseSender> = batch.filter(|sink| !sink.is_closed()).collect();
    (!open_senders.is_empty()).then_some(open_senders)
}
