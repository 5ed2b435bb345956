use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::call::{Context, ModelError};
use crate::registry::Registration;
use crate::runner::{Detached, Instances, Runner};

use super::message::Batch;
use super::queue::Queue;
use super::replies::{Exit, Replies};

/// One instance of a model: it lives on a thread of its own, so that its state need not be `Send` and its function may
/// block.
pub(super) struct Worker {
    pub(super) model: Registration,
    pub(super) number: u32,
    pub(super) queue: Arc<Queue>,
    pub(super) exit: Arc<Exit>,
    pub(super) instances: Arc<Instances>,
    pub(super) runtime: Handle,
}

impl Worker {
    /// Loads the instance, says whether that went well, with the function where any thread may call it, and serves batches
    /// until the queue ends.
    pub(super) fn run(self, loaded: mpsc::Sender<Result<Option<Detached>, ModelError>>) {
        let spec = &self.model.spec;
        let context = Context::new(Arc::clone(spec), self.number).counted_in(self.exit.budget());
        let failed = {
            let loaded = loaded.clone();
            // The starter has given up, or been told; there is nobody else to tell.
            move |error| drop(loaded.try_send(Err(error)))
        };
        let runtime = self.runtime.clone();
        let Some(runner) = Runner::ready(&self.model, context, runtime, &self.instances, failed)
        else {
            return;
        };
        // The sequences of an instance are its own: whoever brings a request cannot execute it.
        let whole = !spec.decoupled && !spec.cancellable && spec.sequence_batching.is_none();
        let one_at_a_time = spec.batches_in_flight == 1 && !runner.is_async();
        // Whoever calls the function of one instance in the place of another's stays on its device.
        let alike = spec.instances.on_one_device();
        let detached = match whole && one_at_a_time && alike && !runner.is_supervised() {
            true => runner.detached(),
            false => None,
        };
        if loaded.try_send(Ok(detached)).is_err() {
            return;
        }
        drop(loaded);
        runner.run_all(
            spec.batches_in_flight as usize,
            || self.queue.next_batch(self.number),
            |batch| self.serve(&runner, batch),
        );
    }

    async fn serve(&self, runner: &Runner, batch: Batch) {
        let (requests, replies) = Replies::part(&self.exit, batch);
        let answering = replies.answering();
        let finish = |executed| replies.finish(executed);
        runner
            .serve(&requests, &[], answering.as_ref(), finish)
            .await;
    }
}
