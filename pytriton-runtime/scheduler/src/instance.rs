use std::sync::Arc;

use pytriton_core::call::ModelError;
use pytriton_core::instance::{InstanceGuard, Instances, LoadedRunner, MovableRunner, Runner};
use pytriton_core::registry::Registration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::batch_completion::BatchCompletion;
use super::completion_context::CompletionContext;
use super::message::Batch;
use super::queue::Queue;
use super::slots::InstanceSlots;

/// One instance of a model. It has its own thread, so its state need not be `Send` and its function
/// may block.
pub(super) struct Worker {
    pub(super) model: Registration,
    pub(super) number: u32,
    pub(super) queue: Arc<Queue>,
    pub(super) completion: Arc<CompletionContext>,
    pub(super) instances: Arc<Instances>,
    /// Where the instance is stored if the model has `inline = true`.
    pub(super) slots: Option<Arc<InstanceSlots>>,
    pub(super) runtime: Handle,
}

impl Worker {
    /// Loads the instance, reports the result, and executes batches until the queue ends.
    pub(super) fn run(self, guard: InstanceGuard, loaded: mpsc::Sender<Result<(), ModelError>>) {
        let spec = &self.model.spec;
        let context = self.model.context(self.number);
        let context = context.counted_in(self.completion.budget());
        let failed = {
            let loaded = loaded.clone();
            // The starter may be gone or already informed. The error can be dropped.
            move |error| drop(loaded.try_send(Err(error)))
        };
        let runtime = self.runtime.clone();
        let runner = LoadedRunner::ready(
            &self.model,
            context,
            runtime,
            &self.instances,
            failed.clone(),
        );
        match (runner, &self.slots) {
            (None, _) => {}
            (Some(LoadedRunner::Movable(runner)), Some(slots)) => {
                self.serve_inline(slots, runner, guard, &loaded);
            }
            (Some(LoadedRunner::Local(_)), Some(_)) => failed(ModelError::Load {
                model: Arc::clone(&spec.name),
                instance: self.number,
                message: "a model with `inline = true` has a state that is not `Send`".to_owned(),
            }),
            (Some(runner), None) => {
                let _presence = guard;
                self.serve_exclusively(&runner.into_local(), loaded);
            }
        }
    }

    /// Executes batches with an instance that no other thread can call.
    fn serve_exclusively(&self, runner: &Runner, loaded: mpsc::Sender<Result<(), ModelError>>) {
        if loaded.try_send(Ok(())).is_err() {
            return;
        }
        drop(loaded);
        runner.run_all(
            self.model.spec.call_options.batches_in_flight as usize,
            || self.queue.next_batch(self.number),
            |batch| self.serve(runner, batch),
        );
    }

    async fn serve(&self, runner: &Runner, batch: Batch) {
        let (requests, completion) = BatchCompletion::split(&self.completion, batch);
        let response_sink = completion.response_sink();
        let finish = |executed| completion.finish(executed);
        runner
            .serve(&requests, &[], response_sink.as_ref(), finish)
            .await;
    }

    /// Executes batches with any idle instance. All instances are in slots, and connection threads
    /// call them too.
    fn serve_inline(
        &self,
        slots: &InstanceSlots,
        runner: MovableRunner,
        guard: InstanceGuard,
        loaded: &mpsc::Sender<Result<(), ModelError>>,
    ) {
        let Some(_occupied) = slots.occupy(self.number, runner, guard) else {
            return;
        };
        if loaded.try_send(Ok(())).is_err() {
            return;
        }
        let acquire = || slots.try_acquire(self.number);
        let next = || self.queue.next_permitted(acquire);
        while let Some((permit, batch)) = self.runtime.block_on(next()) {
            let (requests, completion) = BatchCompletion::split(&self.completion, batch);
            if let Some(executed) = permit.execute(&requests) {
                completion.finish(executed);
            }
        }
    }
}
