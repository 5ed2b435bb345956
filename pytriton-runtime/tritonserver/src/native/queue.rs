use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use pytriton_core::instance::{Change, Instances};
use pytriton_core::model::ModelSpec;

use crate::backend_batch::{BatchReceiver, BatchSender, batch_queue, refuse};

/// The queue to instances of a model on other threads, with both of its ends.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) batches: BatchSender,
    pub(super) receiver: Arc<BatchReceiver>,
    pub(super) instances: Arc<Instances>,
}

impl Queue {
    /// Creates a queue.
    pub(super) fn new(spec: &ModelSpec) -> Arc<Self> {
        let most = (spec.call_options.batches_in_flight as usize)
            .saturating_mul(spec.instances.count() as usize);
        let (batches, receiver) = batch_queue(most);
        let receiver = Arc::new(receiver);
        let refused = Arc::clone(&receiver);
        let changed = move |change: Change| refuse(&refused, change.availability);
        Arc::new(Self {
            batches,
            receiver,
            instances: Instances::new(Arc::clone(&spec.name), changed),
        })
    }

    /// Returns the queue that all instances of a loaded model share. Triton may assign several
    /// batches to one of them while others are free.
    pub(super) fn shared(spec: &ModelSpec, loaded_model: usize) -> Arc<Self> {
        static QUEUES: Mutex<BTreeMap<usize, Weak<Queue>>> = Mutex::new(BTreeMap::new());
        // No panic can leave this state inconsistent.
        let mut queues = QUEUES.lock();
        queues.retain(|_, queue| queue.strong_count() > 0);
        if let Some(queue) = queues.get(&loaded_model).and_then(Weak::upgrade) {
            return queue;
        }
        let queue = Self::new(spec);
        queues.insert(loaded_model, Arc::downgrade(&queue));
        queue
    }
}
