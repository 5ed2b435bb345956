use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::host::{Host, Instances};
use crate::model::{Context, ModelError};

use super::message::Batch;
use super::queue::Queue;
use super::replies::{Exit, Replies};

/// One instance of a model: it lives on a thread of its own, so that its state need not be `Send` and its function may
/// block.
pub(super) struct Worker {
    pub(super) context: Context,
    pub(super) queue: Arc<Queue>,
    pub(super) exit: Arc<Exit>,
    pub(super) instances: Arc<Instances>,
    pub(super) runtime: Handle,
}

impl Worker {
    /// Loads the instance, says whether that went well, and serves batches until the queue ends.
    pub(super) fn run(self, loaded: oneshot::Sender<Result<(), ModelError>>) {
        let host = Host::load(self.context.clone(), self.runtime.clone());
        let host = match host.and_then(|host| host.supervised(&self.instances)) {
            Ok(host) => host,
            Err(error) => {
                // The starter has given up; there is nobody else to tell.
                let _ = loaded.send(Err(error));
                return;
            }
        };
        if loaded.send(Ok(())).is_err() {
            return;
        }
        host.run_all(
            self.context.model().batches_in_flight as usize,
            || self.queue.next_batch(),
            |batch| self.serve(&host, batch),
        );
    }

    async fn serve(&self, host: &Host, batch: Batch) {
        let (requests, replies) = Replies::part(&self.exit, batch);
        let finish = |executed| replies.finish(executed);
        host.serve(&requests, &[], finish).await;
    }
}
