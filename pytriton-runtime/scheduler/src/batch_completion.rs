use std::iter::repeat;
use std::mem;
use std::sync::Arc;

use pytriton_core::call::{Executed, ResponseSink};
use pytriton_core::request::{Request, SmallVec, TraceEvents};
use pytriton_core::response_channel::{Outcome, ReceiverStatuses, SchedulerError};
use pytriton_core::statistics::{
    self, Durations, FailureReason, RequestOutcome, Success, nanoseconds,
};
use tokio::time::Instant;

use super::completion_context::CompletionContext;
use super::message::{Batch, Origin, ResponseTarget};
use super::streamed::{Streamed, streamed};

/// The recipients of the responses of a batch. Each receives one, even if the instance ends.
#[derive(Debug)]
pub(super) struct BatchCompletion {
    completion: Arc<CompletionContext>,
    sequence: u64,
    origin: Origin,
    begun: Instant,
    targets: SmallVec<ResponseTarget>,
    /// The requests of a decoupled model, whose responses are sent during the execution.
    streamed: Option<Arc<Streamed>>,
    /// Detects cancellation, if the function checks for it.
    watched: Option<Arc<dyn ResponseSink>>,
    /// The recorders of trace events.
    traces: Vec<Arc<dyn TraceEvents>>,
}

impl BatchCompletion {
    /// Splits a batch that is about to be executed into its requests and their recipients.
    pub(super) fn split(
        completion: &Arc<CompletionContext>,
        mut batch: Batch,
    ) -> (SmallVec<Request>, Self) {
        let begun = batch.begun.unwrap_or_else(Instant::now);
        completion.recorder().begin(batch.targets.len());
        batch.requests.iter_mut().for_each(Request::dequeue);
        let watched = completion.cancellable && !completion.decoupled;
        let watched = watched.then(|| watched_by(&batch.targets));
        let traces = batch.requests.iter().filter_map(Request::traced);
        let traces: Vec<Arc<dyn TraceEvents>> = traces.cloned().collect();
        if !traces.is_empty() {
            let rows = batch.targets.iter().map(|target| target.batch_size).sum();
            traces.iter().for_each(|trace| trace.batched(rows));
        }
        let (targets, streamed) = match completion.decoupled {
            false => (batch.targets, None),
            true => (
                SmallVec::default(),
                Some(streamed(completion, begun, batch.targets)),
            ),
        };
        let this = Self {
            completion: Arc::clone(completion),
            sequence: batch.sequence,
            origin: batch.origin,
            begun,
            targets,
            streamed,
            watched,
            traces,
        };
        (batch.requests, this)
    }

    /// Returns the recipient of streamed responses, or the check for cancellation.
    pub(super) fn response_sink(&self) -> Option<Arc<dyn ResponseSink>> {
        match (&self.streamed, &self.watched) {
            (Some(streamed), _) => Some(Arc::clone(streamed) as _),
            (None, Some(watched)) => Some(Arc::clone(watched)),
            (None, None) => None,
        }
    }

    /// Records the results, sends the responses, and wakes an instance if requests wait.
    pub(super) fn finish(self, executed: Executed) {
        let completion = Arc::clone(&self.completion);
        if self.conclude(executed) {
            completion.queue.wake();
        }
    }

    /// Like [`finish`](Self::finish), but returns whether requests wait. The caller handles them.
    pub(super) fn conclude(mut self, executed: Executed) -> bool {
        let Executed { results, durations } = executed;
        for trace in &self.traces {
            trace.computed(self.begun, durations);
        }
        if let Some(streamed) = self.streamed.take() {
            let results = results.into_iter();
            let ends = results.map(|result| result.map(drop).map_err(SchedulerError::from));
            self.end_streamed(&streamed, durations, &ends.collect::<Vec<_>>());
            return self.completion.queue.release(&self.origin);
        }
        let targets = mem::take(&mut self.targets);
        let outcomes = results.map(|result| self.completion.reserved(result));
        self.completion.recorder().end(targets.len());
        self.record(durations, &targets, &outcomes);
        self.completion.respond(self.sequence, targets, outcomes);
        self.completion.queue.release(&self.origin)
    }

    /// Records the results of the requests of a decoupled model, and ends those that have not
    /// ended.
    fn end_streamed(
        &self,
        streamed: &Streamed,
        durations: Durations,
        ends: &[Result<(), SchedulerError>],
    ) {
        let mut results = ends.iter();
        let conclusions = streamed.each(|sink| sink.conclude(results.next().unwrap_or(&Ok(()))));
        self.completion.recorder().end(conclusions.len());
        let batch_size = conclusions.iter().map(|(_, rows, _)| rows).sum();
        self.record_all(durations, batch_size, conclusions.into_iter());
        streamed.end(ends.iter().cloned().chain(repeat(Ok(()))));
    }

    fn record(&self, durations: Durations, targets: &[ResponseTarget], outcomes: &[Outcome]) {
        let requests = targets.iter().zip(outcomes).map(|(target, outcome)| {
            let succeeded = outcome.is_ok();
            (target.arrived, target.batch_size, succeeded)
        });
        let batch_size = targets.iter().map(|target| target.batch_size).sum();
        self.record_all(durations, batch_size, requests);
    }

    /// Returns how long a request has waited until the execution began.
    fn waited(&self, arrived: Instant) -> u64 {
        // Both are equal if the request was executed at once, and comparing is faster.
        match self.begun == arrived {
            true => 0,
            false => nanoseconds(self.begun.saturating_duration_since(arrived)),
        }
    }

    /// Records requests with their arrival times, rows and success.
    fn record_all(
        &self,
        durations: Durations,
        batch_size: usize,
        requests: impl Iterator<Item = (Instant, usize, bool)>,
    ) {
        let now = Instant::now();
        let execution = statistics::Execution {
            batch_size,
            durations,
        };
        let since = |earlier: Instant| nanoseconds(now.saturating_duration_since(earlier));
        let requests = requests.map(|(arrived, batch_size, succeeded)| match succeeded {
            true => RequestOutcome::Succeeded(Success {
                batch_size,
                request: since(arrived),
                queue: self.waited(arrived),
            }),
            false => RequestOutcome::Failed(since(arrived)),
        });
        let once = !self.completion.decoupled;
        let recorder = self.completion.recorder();
        recorder.record(execution, now.into_std(), once, requests);
    }
}

/// Detects for each request whether its response is still needed.
fn watched_by(targets: &[ResponseTarget]) -> Arc<dyn ResponseSink> {
    let requests = targets.iter().map(|target| target.sink.receiver_status());
    Arc::new(ReceiverStatuses(requests.collect()))
}

impl Drop for BatchCompletion {
    fn drop(&mut self) {
        let CompletionContext { model, queue, .. } = &*self.completion;
        let ended = || SchedulerError::InstanceEnded {
            model: Arc::clone(model),
        };
        if let Some(streamed) = self.streamed.take() {
            let ends = vec![Err(ended()); streamed.len()];
            self.end_streamed(&streamed, Durations::default(), &ends);
            if queue.release(&self.origin) {
                queue.wake();
            }
            return;
        }
        if self.targets.is_empty() {
            return;
        }
        let targets = mem::take(&mut self.targets);
        queue.recorder().end(targets.len());
        for target in targets.iter() {
            let took = nanoseconds(target.arrived.elapsed());
            queue
                .recorder()
                .record_failure(FailureReason::Backend, took);
        }
        let outcomes = targets.iter().map(|_| Err(ended())).collect();
        self.completion.respond(self.sequence, targets, outcomes);
        if queue.release(&self.origin) {
            queue.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryBudget;
    use pytriton_core::model::CallOptions;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::request::Response;
    use pytriton_core::testing::{IDENTITY, request};

    use super::super::Policy;
    use super::super::queue::Queue;
    use super::*;

    #[tokio::test]
    async fn lost_batch_fails_and_does_not_block_later_ones() {
        let declaration = ModelDeclaration {
            options: ModelOptions {
                preserve_ordering: true,
                call_options: CallOptions::DEFAULT.batches_in_flight(2),
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let spec = Arc::new(declaration.spec().unwrap());
        let queue = Arc::new(Queue::of(&spec, Policy::new(&spec, 4)));
        let budget = MemoryBudget::new(usize::MAX);
        let completion = Arc::new(CompletionContext::new(&spec, Arc::clone(&queue), budget));
        let mut lost = queue.push(request(&spec, 8, 1.0)).unwrap().receiver;
        let mut served = queue.push(request(&spec, 8, 2.0)).unwrap().receiver;
        let (_, first) = BatchCompletion::split(&completion, queue.next_batch(0).await.unwrap());
        let (_, second) = BatchCompletion::split(&completion, queue.next_batch(0).await.unwrap());
        second.finish(Executed {
            results: SmallVec::one(Ok(Response::default())),
            durations: Durations::default(),
        });
        drop(first);
        let lost = lost.next().await.unwrap().unwrap_err();
        let expected =
            "the instance of model 'Identity' that was executing the request has stopped";
        assert_eq!(lost.to_string(), expected);
        served.next().await.unwrap().unwrap();
        let totals = queue.recorder().totals(0);
        assert_eq!(totals.failures, [0, 0, 1, 0]);
        assert_eq!(totals.running, 0);
    }
}
