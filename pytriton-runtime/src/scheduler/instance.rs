use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::Error;
use crate::host::Host;
use crate::model::{Context, Executed, ModelError, Request};
use crate::statistics::{self, Success};

use super::SchedulerError;
use super::message::{Batch, Outcome, Waiting};
use super::order::Order;
use super::queue::{Queue, nanoseconds};

/// Responses that may leave only after those of earlier batches.
pub(super) type Finished = Vec<(oneshot::Sender<Outcome>, Outcome)>;

/// One instance of a model: it lives on a thread of its own, so that its state need not be `Send` and its function may
/// block.
pub(super) struct Worker {
    pub(super) context: Context,
    pub(super) queue: Arc<Queue>,
    pub(super) order: Arc<Mutex<Order<Finished>>>,
    pub(super) runtime: Handle,
}

impl Worker {
    /// Loads the instance, says whether that went well, and serves batches until the queue ends.
    pub(super) fn run(self, loaded: oneshot::Sender<Result<(), ModelError>>) {
        let host = match Host::load(self.context.clone(), self.runtime.clone()) {
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
        let begun = Instant::now();
        let (requests, replies): (Vec<Request>, Vec<Reply>) = batch
            .waiting
            .into_iter()
            .map(|waiting| Reply::part(waiting, begun))
            .unzip();
        let executed = host.execute(&requests, &[]).await;
        self.record(&requests, &replies, &executed);
        let finished = replies
            .into_iter()
            .zip(executed.results)
            .map(|(reply, result)| (reply.respond, result.map_err(Error::from)))
            .collect();
        self.respond(batch.sequence, finished);
    }

    fn record(&self, requests: &[Request], replies: &[Reply], executed: &Executed) {
        let mut execution = statistics::Execution {
            batch_size: requests.iter().map(Request::batch_size).sum(),
            durations: executed.durations,
            ..statistics::Execution::default()
        };
        for ((request, reply), result) in requests.iter().zip(replies).zip(&executed.results) {
            let took = nanoseconds(reply.arrived.elapsed());
            match result {
                Ok(_) => execution.succeeded.push(Success {
                    batch_size: request.batch_size(),
                    request: took,
                    queue: nanoseconds(reply.waited),
                }),
                Err(_) => execution.failed.push(took),
            }
        }
        self.queue.recorder().record(&execution);
    }

    fn respond(&self, sequence: u64, finished: Finished) {
        let leaving = if self.queue.policy().preserve_ordering {
            let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
            order.finish(sequence, finished)
        } else {
            vec![finished]
        };
        for (respond, outcome) in leaving.into_iter().flatten() {
            // The client may have gone away meanwhile.
            let _ = respond.send(outcome);
        }
    }
}

/// What is left of a waiting request while it is executed.
struct Reply {
    arrived: Instant,
    waited: Duration,
    respond: oneshot::Sender<Outcome>,
}

impl Reply {
    fn part(waiting: Waiting, begun: Instant) -> (Request, Self) {
        let reply = Self {
            arrived: waiting.arrived,
            waited: begun.saturating_duration_since(waiting.arrived),
            respond: waiting.respond,
        };
        (waiting.request, reply)
    }
}

/// Tells, when the instance's thread ends in whatever way, that it has.
pub(super) struct Alive {
    pub(super) model: &'static str,
    pub(super) queue: Arc<Queue>,
    pub(super) count: tokio::sync::watch::Sender<usize>,
}

impl Drop for Alive {
    fn drop(&mut self) {
        let mut left = 0;
        self.count.send_modify(|count| {
            *count = count.saturating_sub(1);
            left = *count;
        });
        if left > 0 {
            return;
        }
        for waiting in self.queue.abandon() {
            let error = SchedulerError::NoInstance { model: self.model };
            // The client may have gone away meanwhile.
            let _ = waiting.respond.send(Err(error.into()));
        }
    }
}
