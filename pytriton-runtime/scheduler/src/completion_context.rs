use std::sync::Arc;

use pytriton_core::call::ModelError;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{Response, SmallVec};
use pytriton_core::response_channel::Outcome;
use pytriton_core::statistics::Recorder;

use super::message::ResponseTarget;
use super::queue::Queue;

/// The output side of a model: statistics, reservations and order of responses.
#[derive(Debug)]
pub(super) struct CompletionContext {
    pub(super) model: Arc<str>,
    pub(super) decoupled: bool,
    pub(super) cancellable: bool,
    pub(super) queue: Arc<Queue>,
    budget: Arc<MemoryBudget>,
}

impl CompletionContext {
    pub(super) fn new(spec: &ModelSpec, queue: Arc<Queue>, budget: Arc<MemoryBudget>) -> Self {
        Self {
            model: Arc::clone(&spec.name),
            decoupled: spec.decoupled,
            cancellable: spec.cancellable,
            queue,
            budget,
        }
    }

    /// Returns the memory budget.
    pub(super) fn budget(&self) -> &Arc<MemoryBudget> {
        &self.budget
    }

    pub(super) fn recorder(&self) -> &Recorder {
        self.queue.recorder()
    }

    /// Reserves memory for the parameters of a response. That of its tensors is reserved already.
    pub(super) fn reserved(&self, result: Result<Response, ModelError>) -> Outcome {
        let mut response = result?;
        response.held = self.budget.reserve(response.parameters.bytes())?;
        Ok(response)
    }

    /// Sends the responses of a batch, in the order of requests if the model requires it.
    pub(super) fn respond(
        &self,
        sequence: u64,
        targets: SmallVec<ResponseTarget>,
        outcomes: SmallVec<Outcome>,
    ) {
        let sinks = targets.into_iter().map(|target| target.sink);
        let outcomes = sinks.zip(outcomes);
        match self.queue.ordered() {
            Some(ordered) => ordered.respond(sequence, outcomes),
            None => outcomes.for_each(|(sink, outcome)| sink.finish(outcome)),
        }
    }
}
