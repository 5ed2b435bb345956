use std::cmp::Reverse;
use std::future::{pending, poll_fn};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{self, Poll, Waker};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use crate::call::{
    Context, Executed, GroupedBatch, Health, Instance, Invocation, LoadedInstance, Loader,
    ModelError, ObsoleteStates, ResponseSink, Sequences, client_panic_message,
};
use crate::decorators::Steps;
use crate::offload::is_marked;
use crate::registry::Registration;
use crate::request::{Request, batch_scope};
use crate::tracked_tensor::TrackedTensor;

use super::Instances;
use super::supervised::Supervised;
use super::supervisor::Supervisor;

/// A loaded instance of a model, and the means to run batches on it.
///
/// It is not `Sync`: only one thread at a time can call the instance. It is `Send` only if the
/// instance is.
#[derive(Debug)]
pub struct Runner<I: Instance + ?Sized = dyn Instance> {
    instance: Box<I>,
    context: Context,
    steps: Steps,
    /// Drives `async` functions.
    runtime: Handle,
    supervisor: Option<Arc<Supervisor>>,
}

/// A runner that may move to another thread.
pub type MovableRunner = Runner<dyn Instance + Send>;

/// A runner of either kind.
#[derive(Debug)]
pub enum LoadedRunner {
    /// Stays on the thread that loaded it.
    Local(Runner),
    /// May run on any thread.
    Movable(MovableRunner),
}

impl LoadedRunner {
    /// Loads an instance. `runtime` drives `async` functions.
    pub(super) fn load(
        model: &Registration,
        context: Context,
        runtime: Handle,
    ) -> Result<Self, ModelError> {
        let steps = Arc::clone(&model.steps);
        Ok(match load(&model.load, &context, &runtime)? {
            LoadedInstance::Local(instance) => {
                Self::Local(Runner::new(instance, context, steps, runtime))
            }
            LoadedInstance::Movable(instance) => {
                Self::Movable(Runner::new(instance, context, steps, runtime))
            }
        })
    }

    /// Converts it into a runner that stays on its thread.
    pub fn into_local(self) -> Runner {
        match self {
            Self::Local(runner) => runner,
            Self::Movable(runner) => Runner {
                instance: runner.instance,
                context: runner.context,
                steps: runner.steps,
                runtime: runner.runtime,
                supervisor: runner.supervisor,
            },
        }
    }
}

impl<I: Instance + ?Sized> Runner<I> {
    fn new(instance: Box<I>, context: Context, steps: Steps, runtime: Handle) -> Self {
        Self {
            instance,
            context,
            steps,
            runtime,
            supervisor: None,
        }
    }

    /// Adds a supervisor that reports stalls to `instances`, if calls have a time limit.
    pub(super) fn supervised(mut self, instances: &Arc<Instances>) -> Result<Self, ModelError> {
        self.supervisor = Supervisor::new(&self.context, instances)?;
        Ok(self)
    }

    /// Reports fatal errors to `health`.
    pub(super) fn with_health(self, health: Health) -> Self {
        let context = self.context.with_health(health);
        Self { context, ..self }
    }
}

impl Runner {
    /// Runs batches until there are no more, at most `side_by_side` at a time.
    ///
    /// A function that is not `async` completes at its first poll, so its batches run one after the
    /// other.
    pub fn run_all<B>(
        &self,
        side_by_side: usize,
        next: impl AsyncFn() -> Option<B>,
        run: impl AsyncFn(B),
    ) {
        let mut running = FuturesUnordered::new();
        let next = async || self.wait(next()).await;
        while let Some(batch) = (self.runtime).block_on(upcoming(&mut running, side_by_side, &next))
        {
            let mut execution = Box::pin(run(batch));
            if self.first_poll(execution.as_mut()).is_pending() {
                running.push(execution);
            }
        }
        self.runtime.block_on(running.collect::<()>());
    }
}

impl<I: Instance + ?Sized> Runner<I> {
    /// Waits for a batch, and drops expired sequence states meanwhile.
    async fn wait<T>(&self, next: impl Future<Output = T>) -> T {
        let Some(sequences) = self.instance.sequences() else {
            return next.await;
        };
        let mut next = pin!(next);
        let batch = loop {
            let due = self.drop_expired_states(sequences);
            let due = async {
                match due {
                    Some(due) => sleep_until(due.into()).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                batch = next.as_mut() => break batch,
                () = sequences.ended() => {}
                () = due => {}
            }
        };
        sequences.note_batch(Instant::now().into_std());
        batch
    }

    /// Drops expired sequence states, and returns when more may expire. If that exceeds the time
    /// limit of a call, the instance is stalled.
    pub fn drop_expired_states(&self, sequences: Sequences<'_>) -> Option<std::time::Instant> {
        let (states, next) = sequences.collect_expired(Instant::now().into_std());
        self.drop_states(sequences, states);
        next
    }

    fn drop_states(&self, sequences: Sequences<'_>, states: ObsoleteStates) {
        if let Some(supervisor) = &self.supervisor
            && !states.is_empty()
            && !supervisor.run_without_requests(|| drop(states))
        {
            sequences.mark_stalled();
        }
    }

    /// Drops the states of all sequences.
    pub fn clear(&self) {
        if let Some(sequences) = self.instance.sequences() {
            self.drop_states(sequences, sequences.clear());
        }
    }

    /// Returns its number among the instances of its model.
    pub fn instance_number(&self) -> u32 {
        self.context.instance()
    }

    /// Returns the states of its sequences, if the function takes any.
    pub fn sequences(&self) -> Option<Sequences<'_>> {
        self.instance.sequences()
    }

    /// Runs a batch and passes the results to `finish`. Some of the inputs may be stacked already.
    ///
    /// A request that cannot be stacked with the one before starts a new call. If a call exceeds
    /// its time limit, `finish` is called on another thread while the function may still hold the
    /// requests.
    pub async fn serve(
        &self,
        requests: &[Request],
        stacked: &[Option<TrackedTensor>],
        sink: Option<&Arc<dyn ResponseSink>>,
        finish: impl FnOnce(Executed) + Send + 'static,
    ) {
        let Some(supervisor) = &self.supervisor else {
            return finish(self.execute(requests, stacked, sink).await);
        };
        let grouped = GroupedBatch::new(self.context.model(), requests, stacked);
        let restore = grouped.restorer();
        let finish = |mut executed| {
            restore(&mut executed);
            finish(executed);
        };
        let batch = supervisor.begin(requests.len(), Box::new(finish));
        let instance = Supervised::new(self.instance.as_ref(), supervisor, batch);
        let called = |call| supervisor.called(batch, call);
        self.call(&instance, &grouped, sink, called).await;
        if !supervisor.end(batch)
            && let Some(sequences) = self.instance.sequences()
        {
            sequences.mark_stalled();
        }
    }

    /// Returns whether calls have a time limit.
    pub fn is_supervised(&self) -> bool {
        self.supervisor.is_some()
    }

    /// Runs a batch without supervision. Returns `None` if the function is `async`.
    pub fn execute_at_once(&self, requests: &[Request]) -> Option<Executed> {
        let mut execution = pin!(self.execute(requests, &[], None));
        let polled = match is_marked() {
            // A thread of the server's connections is in the context of the runtime already.
            true => execution.poll(&mut task::Context::from_waker(Waker::noop())),
            false => self.first_poll(execution.as_mut()),
        };
        match polled {
            Poll::Ready(executed) => Some(executed),
            Poll::Pending => None,
        }
    }

    /// Runs a batch without supervision.
    pub async fn execute(
        &self,
        requests: &[Request],
        stacked: &[Option<TrackedTensor>],
        sink: Option<&Arc<dyn ResponseSink>>,
    ) -> Executed {
        let mut executed = Executed::default();
        let called = |call| {
            executed.append(call);
            ControlFlow::Continue(())
        };
        let grouped = GroupedBatch::new(self.context.model(), requests, stacked);
        self.call(self.instance.as_ref(), &grouped, sink, called)
            .await;
        grouped.restore(executed)
    }

    async fn call(
        &self,
        instance: &(impl Instance + ?Sized),
        batch: &GroupedBatch<'_>,
        sink: Option<&Arc<dyn ResponseSink>>,
        mut called: impl FnMut(Executed) -> ControlFlow<()>,
    ) {
        // One error of the batch is logged, and later ones only if they are more severe.
        let mut logged = None;
        let mut called = |call: Executed| {
            let errors = call.results.iter().filter_map(|it| it.as_ref().err());
            let errors = errors.map(|error| (self.severity(error), error));
            let first = errors.min_by_key(|(severity, _)| Reverse(*severity));
            let first = first.filter(|(severity, _)| logged < Some(*severity));
            let first = first.map(|(severity, error)| (severity, error.clone()));
            called(call)?;
            if let Some((severity, error)) = first {
                logged = Some(severity);
                self.log(&error);
            }
            ControlFlow::Continue(())
        };
        let callee = Invocation {
            instance,
            context: &self.context,
            steps: &self.steps,
            sink,
        };
        // If the calls stop early, the batch has already been completed.
        let scope = batch_scope(self.context.model(), batch.requests());
        let executed = pin!(callee.execute_calls(batch, &mut called));
        let _ = scope.around(executed).await;
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Runs an execution to completion.
    pub fn block_on<T>(&self, execution: impl Future<Output = T>) -> T {
        let mut execution = pin!(execution);
        match self.first_poll(execution.as_mut()) {
            Poll::Ready(done) => done,
            Poll::Pending => self.runtime.block_on(execution),
        }
    }

    /// Polls an execution. The thread must not look like a runtime's own thread: blocking clients
    /// refuse to run there.
    fn first_poll<T>(&self, execution: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        let _runtime = self.runtime.enter();
        execution.poll(&mut task::Context::from_waker(Waker::noop()))
    }

    fn severity(&self, error: &ModelError) -> Severity {
        let panics = self.context.model().call_options.unrecoverable_panics;
        if error.is_unrecoverable(panics) {
            Severity::Fatal
        } else if error.is_of_client() {
            Severity::Client
        } else {
            Severity::Server
        }
    }

    /// Logs a failed batch. Client errors are reported to the client, and panics are logged where
    /// they occur.
    fn log(&self, error: &ModelError) {
        let logger = self.context.logger();
        let panicked = matches!(error, ModelError::Panic { .. });
        match panicked || error.is_of_client() {
            true => tracing::debug!(parent: logger, %error, "batch failed"),
            false => tracing::warn!(parent: logger, %error, "batch failed"),
        }
    }
}

/// Whom an error of a batch concerns, from one client to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Client,
    Server,
    Fatal,
}

fn load(
    loader: &Loader,
    context: &Context,
    runtime: &Handle,
) -> Result<LoadedInstance, ModelError> {
    let model = context.model();
    let error = |message| ModelError::Load {
        model: Arc::clone(&model.name),
        instance: context.instance(),
        message,
    };
    let _runtime = runtime.enter();
    match catch_unwind(AssertUnwindSafe(|| loader(context))) {
        Ok(Ok(instance)) => Ok(instance),
        Ok(Err(ModelError::Function { message, .. })) => Err(error(message)),
        Ok(Err(loading @ ModelError::Load { .. })) => Err(loading),
        Ok(Err(other)) => Err(error(other.to_string())),
        Err(panic) => Err(error(client_panic_message(panic))),
    }
}

/// Returns the next batch once there is capacity. Running batches make progress meanwhile.
///
/// The queue is not polled while a running batch is polled. That may take long, and a dequeued
/// batch would wait although another instance is free.
async fn upcoming<B>(
    running: &mut FuturesUnordered<impl Future<Output = ()>>,
    side_by_side: usize,
    next: impl AsyncFn() -> Option<B>,
) -> Option<B> {
    while running.len() >= side_by_side {
        running.next().await;
    }
    let mut waiting = pin!(None);
    poll_fn(|task| {
        let mut idle = running.is_empty();
        loop {
            if waiting.is_none() {
                waiting.set(Some(next()));
            }
            let found = waiting.as_mut().as_pin_mut().map(|next| next.poll(task));
            match found {
                Some(Poll::Ready(batch)) => return Poll::Ready(batch),
                _ if idle => return Poll::Pending,
                _ => waiting.set(None),
            }
            idle = running.poll_next_unpin(task).is_pending() || running.is_empty();
        }
    })
    .await
}

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;
