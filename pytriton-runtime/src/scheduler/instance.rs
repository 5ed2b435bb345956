use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::call::ModelError;
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
    pub(super) fn run(self, loaded: oneshot::Sender<Result<Option<Detached>, ModelError>>) {
        let runner = Runner::load(&self.model, self.number, self.runtime.clone());
        let runner = match runner.and_then(|runner| runner.supervised(&self.instances)) {
            Ok(runner) => runner,
            Err(error) => {
                // The starter has given up; there is nobody else to tell.
                let _ = loaded.send(Err(error));
                return;
            }
        };
        let whole = !self.model.spec.decoupled && !self.model.spec.cancellable;
        let one_at_a_time = self.model.spec.batches_in_flight == 1 && !runner.is_async();
        let detached = match whole && one_at_a_time && !runner.is_supervised() {
            true => runner.detached(),
            false => None,
        };
        if loaded.send(Ok(detached)).is_err() {
            return;
        }
        runner.run_all(
            self.model.spec.batches_in_flight as usize,
            || self.queue.next_batch(),
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
