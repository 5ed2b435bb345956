use std::fmt;
use std::sync::Arc;
use std::thread;

use pytriton_backend::now;
use pytriton_core::call::ResponseSink;
use pytriton_core::instance::{Availability, Runner};
use pytriton_core::model::ModelSpec;
use pytriton_core::response_channel::SchedulerError;
use tokio::sync::{Mutex, mpsc};

use super::{BackendBatch, Results};

/// The queue of batches for the instances of a model, which run on other threads.
#[derive(Debug, Clone)]
pub(crate) struct BatchSender(mpsc::Sender<QueuedBatch>);

/// The receiving end of [`BatchSender`], from which the instances take batches.
#[derive(Debug)]
pub(crate) struct BatchReceiver(Mutex<mpsc::Receiver<QueuedBatch>>);

/// A batch that is queued for an instance. Its sender always receives a result.
pub(crate) struct QueuedBatch {
    gathered: BackendBatch,
    is_cancelled: Box<dyn Fn(usize) -> bool + Send>,
    /// The sink for the responses of a decoupled model, which also reports cancellation.
    streaming: Option<Arc<dyn ResponseSink>>,
    done: Completion,
}

/// The callback for the results of a batch. If it is dropped without results, it reports that the
/// instance has ended.
struct Completion {
    on_results: Option<OnResults>,
    requests: usize,
    spec: Arc<ModelSpec>,
}

/// Receives the results of a batch and the time at which its function was called.
type OnResults = Box<dyn FnOnce(Results, u64) + Send>;

/// Creates a queue that holds at most `most` batches.
pub(crate) fn batch_queue(most: usize) -> (BatchSender, BatchReceiver) {
    let (calls, end) = mpsc::channel(most.max(1));
    (BatchSender(calls), BatchReceiver(Mutex::new(end)))
}

/// Refuses queued batches if no instance can take them. Does not block the caller.
pub(crate) fn refuse(calls: &Arc<BatchReceiver>, availability: Availability) {
    if availability == Availability::Ready {
        return;
    }
    let end = Arc::clone(calls);
    let refusing = thread::Builder::new().name("refusals".to_owned());
    if refusing.spawn(move || end.refuse(availability)).is_err() {
        // Without a thread, the next caller refuses them.
        tracing::debug!("cannot start a thread to refuse queued batches");
    }
}

impl QueuedBatch {
    /// Creates a call.
    ///
    /// The sink, if any, receives responses or reports cancellation. `is_cancelled` is called for
    /// each request before it runs. `done` receives the results of all requests after the batch's
    /// memory is released.
    pub(crate) fn new(
        spec: &Arc<ModelSpec>,
        (gathered, streaming): (BackendBatch, Option<Arc<dyn ResponseSink>>),
        is_cancelled: impl Fn(usize) -> bool + Send + 'static,
        done: impl FnOnce(Results, u64) + Send + 'static,
    ) -> Self {
        let done = Completion {
            on_results: Some(Box::new(done)),
            requests: gathered.requests.len(),
            spec: Arc::clone(spec),
        };
        Self {
            gathered,
            is_cancelled: Box::new(is_cancelled),
            streaming,
            done,
        }
    }

    async fn run(self, runner: &Runner) {
        let begun = now();
        let Self {
            mut gathered,
            is_cancelled,
            streaming,
            done,
        } = self;
        let all = gathered.requests.len();
        // The sink identifies requests by their position in the batch, so positions must not
        // change.
        let watched = streaming.is_some() && !(0..all).all(&is_cancelled);
        // In a sequence, later requests depend on each one, so a cancelled request still runs.
        let keep_all = watched || done.spec.sequence_batching().is_some();
        let cancelled = gathered.remove(|index| !keep_all && is_cancelled(index));
        if gathered.requests.is_empty() {
            return done.complete(merge(all, cancelled, Results::default()), begun);
        }
        let finish = move |results| done.complete(merge(all, cancelled, results), begun);
        if let Some(sink) = &streaming {
            sink.called(begun);
        }
        gathered.run(runner, streaming.as_ref(), finish).await;
    }

    /// Reports that no instance will run the call.
    fn refuse(self, availability: Availability) {
        let Self { gathered, done, .. } = self;
        drop(gathered);
        if let Some(error) = SchedulerError::refusal(&done.spec, availability) {
            let results = Results::repeat(Err(error), done.requests);
            done.complete(results, now());
        }
    }
}

impl Completion {
    fn complete(mut self, results: Results, begun: u64) {
        if let Some(on_results) = self.on_results.take() {
            on_results(results, begun);
        }
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        if let Some(on_results) = self.on_results.take() {
            let model = Arc::clone(&self.spec.name);
            let error = SchedulerError::InstanceEnded { model };
            on_results(Results::repeat(Err(error), self.requests), now());
        }
    }
}

/// Merges the results: some requests were cancelled, the others ran.
fn merge(all: usize, cancelled: Vec<usize>, ran: Results) -> Results {
    let mut cancelled = cancelled.into_iter().peekable();
    let mut ran = ran.into_iter();
    let results = (0..all).map(|index| {
        let ran = match cancelled.next_if_eq(&index) {
            Some(_) => None,
            None => ran.next(),
        };
        ran.unwrap_or_else(|| Err(SchedulerError::Cancelled))
    });
    results.collect()
}

impl BatchSender {
    /// Queues a batch; blocks while the queue is full. Without instances the batch fails
    /// immediately.
    pub(crate) fn send(&self, call: QueuedBatch) {
        // A call that cannot be queued reports that when it is dropped.
        let _ = self.0.blocking_send(call);
    }
}

impl BatchReceiver {
    /// Refuses queued batches because no instance takes them.
    pub(crate) fn refuse(&self, availability: Availability) {
        // An instance that holds the lock is about to take the next batch.
        while let Ok(mut calls) = self.0.try_lock() {
            let Ok(call) = calls.try_recv() else {
                return;
            };
            drop(calls);
            call.refuse(availability);
        }
    }

    /// Runs queued batches on an instance, at most `max_in_flight` at a time, until all senders are
    /// gone.
    pub(crate) fn serve(&self, runner: &Runner, max_in_flight: usize) {
        let next = async || self.0.lock().await.recv().await;
        runner.run_all(max_in_flight, next, async |call: QueuedBatch| {
            call.run(runner).await
        });
    }
}

impl fmt::Debug for QueuedBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.gathered).finish()
    }
}
