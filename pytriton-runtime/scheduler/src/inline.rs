use std::sync::Arc;

use pytriton_core::call::{Executed, ModelError};
use pytriton_core::request::Request;
use pytriton_core::response_channel::SchedulerError;
use tokio::task::yield_now;

use super::batch_completion::BatchCompletion;
use super::completion_context::CompletionContext;
use super::message::{Batch, Pushed};
use super::queue::Queue;
use super::slots::{InstancePermit, InstanceSlots};
use super::slow_calls::SlowCalls;
use super::workers::{WorkerPermit, Workers};

/// Executes batches of a model with `inline = true` on connection threads.
///
/// A request is executed on the thread that read it under these conditions: no request waits before
/// it, the policy permits a batch of this request alone, an instance is idle, and another
/// connection thread remains available.
///
/// Everything else is the same as on the thread of an instance. The batch comes from the same
/// queue, counts against the same limit, and is executed with the [`InstancePermit`] of one
/// instance. Its responses leave through the same
/// [`ResponseSender`](pytriton_core::response_channel::ResponseSender).
#[derive(Debug)]
pub(super) struct InlineExecutor {
    pub(super) model: Arc<str>,
    pub(super) slots: Arc<InstanceSlots>,
    pub(super) workers: Arc<Workers>,
    pub(super) completion: Arc<CompletionContext>,
    pub(super) queue: Arc<Queue>,
    pub(super) slow_calls: SlowCalls,
}

/// Copying more than this takes some tens of microseconds.
const MAX_INLINE_BYTES: usize = 256 << 10;

/// Appended to the message of a panic, which may come from blocking. Blocking is an error on these
/// threads.
const PANIC_NOTE: &str = "; note: with `inline = true` the function is called on a thread that serves connections, \
    where it must not block";

impl InlineExecutor {
    /// Returns the permit to execute a request on this thread, if it can be executed inline.
    pub(super) fn try_acquire_worker(&self, request: &Request) -> Option<WorkerPermit<'_>> {
        let small = request.bytes() <= MAX_INLINE_BYTES;
        small.then(|| self.workers.try_acquire()).flatten()
    }

    /// Queues a request, or returns it as a batch with the permit to execute it.
    pub(super) fn push(
        &self,
        request: Request,
        _worker: &WorkerPermit<'_>,
    ) -> Result<Pushed<InstancePermit<'_>>, SchedulerError> {
        (self.queue).push_or_take(request, || self.slots.try_acquire(0))
    }

    /// Executes a batch, and then others that wait for the instance.
    pub(super) fn run(self: &Arc<Self>, permit: InstancePermit<'_>, batch: Batch) {
        if self.execute(permit, batch) {
            let executor = Arc::clone(self);
            (self.workers).spawn(async move { executor.run_waiting().await });
        }
    }

    /// Executes waiting batches. Other tasks of the thread run in between.
    async fn run_waiting(self: &Arc<Self>) {
        while let Some(more) = self.run_next() {
            if !more {
                return;
            }
            yield_now().await;
        }
        // The thread of an instance continues from here.
        self.queue.wake();
    }

    /// Executes the next batch if this thread can take it. Returns whether more requests wait.
    fn run_next(&self) -> Option<bool> {
        let _worker = self.workers.try_acquire()?;
        let acquire = || self.slots.try_acquire(0);
        let (permit, batch) = self.queue.try_next_batch(MAX_INLINE_BYTES, acquire)?;
        Some(self.execute(permit, batch))
    }

    /// Executes a batch. Returns whether more requests wait for the instance.
    fn execute(&self, permit: InstancePermit<'_>, batch: Batch) -> bool {
        let (requests, completion) = BatchCompletion::split(&self.completion, batch);
        // The permit is released before the batch. A thread that finds the instance busy leaves its
        // request in the queue while it holds the lock of the queue. Releasing the batch takes the
        // same lock and reports that request.
        let Some(mut executed) = permit.execute(&requests) else {
            return false;
        };
        self.warn_if_slow(&executed);
        for result in &mut executed.results {
            if let Err(ModelError::Panic { message, .. }) = result {
                message.push_str(PANIC_NOTE);
            }
        }
        completion.conclude(executed)
    }

    fn warn_if_slow(&self, executed: &Executed) {
        let took = executed.durations.total();
        if let Some(calls) = self.slow_calls.count(took) {
            tracing::warn!(
                model = &*self.model,
                calls,
                "calls of the model took longer than 1 ms on a thread that serves connections (the last call took {took:?}): make the function faster, or remove `inline = true`"
            );
        }
    }
}
