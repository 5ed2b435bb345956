use std::sync::Arc;
use std::thread;

use pytriton_core::call::ModelError;
use pytriton_core::instance::{Availability, Change, Instances};
use pytriton_core::maybe_ready::{MaybeReady, later, now};
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::Registration;
use pytriton_core::request::{Request, Response};
use pytriton_core::response_channel::{Outcome, ResponseReceiver, SchedulerError};
use pytriton_core::statistics::{FailureReason, ModelStatistics, ModelTotals, Recorder};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::completion_context::CompletionContext;
use super::inline::InlineExecutor;
use super::instance::Worker;
use super::message::{Enqueued, Pushed, Ticket};
use super::queue::Queue;
use super::reaper::Reaper;
use super::response_stream::ResponseStream;
use super::slots::InstanceSlots;
use super::slow_calls::SlowCalls;
use super::{Policy, Resources};

/// The queue and the instances of one model.
#[derive(Debug)]
pub struct Scheduler {
    pub(super) queue: Arc<Queue>,
    pub(super) instances: Arc<Instances>,
    /// Whether all pending requests have been abandoned.
    abandoned: watch::Sender<bool>,
    /// Executes requests on connection threads if the model has `inline = true`.
    inline: Option<Arc<InlineExecutor>>,
    /// The task that expires sequences, if the model has them.
    _reaper: Option<Reaper>,
}

/// Receives whether an instance has been loaded.
type Loading = mpsc::Receiver<Result<(), ModelError>>;

impl Scheduler {
    /// Starts the instances of a model, each on its own thread, and waits until all are loaded.
    /// `resources` are shared by the process.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Load`] if an instance cannot be loaded. The other instances are
    /// stopped.
    pub async fn start(
        model: &Registration,
        policy: Policy,
        resources: &Resources,
    ) -> Result<Self, ModelError> {
        let spec = &model.spec;
        let queue = Arc::new(Queue::of(spec, policy));
        let (followed, readiness) = (follow(&queue, spec), Arc::clone(&resources.readiness));
        let changed = move |change| {
            followed(change);
            // Notify after the change, so that watchers see the new readiness.
            readiness.send_replace(());
        };
        let mut scheduler = Self {
            instances: Instances::new(Arc::clone(&spec.name), changed),
            _reaper: Reaper::start(&queue),
            queue,
            abandoned: watch::Sender::new(false),
            inline: None,
        };
        scheduler.load(model, resources).await?;
        Ok(scheduler)
    }

    async fn load(
        &mut self,
        model: &Registration,
        resources: &Resources,
    ) -> Result<(), ModelError> {
        let spec = &model.spec;
        let (queue, budget) = (Arc::clone(&self.queue), Arc::clone(&resources.budget));
        let completion = Arc::new(CompletionContext::new(spec, queue, budget));
        let count = spec.instances.count();
        let slots = spec
            .call_options
            .inline
            .then(|| Arc::new(InstanceSlots::new(count)));
        if slots.is_some() {
            resources.workers.start_sentinel();
        }
        let mut loading = Vec::new();
        for instance in 0..count {
            let worker = Worker {
                model: model.clone(),
                number: instance,
                queue: Arc::clone(&self.queue),
                completion: Arc::clone(&completion),
                instances: Arc::clone(&self.instances),
                slots: slots.clone(),
                runtime: Handle::current(),
            };
            loading.push(self.spawn(spec, instance, worker)?);
        }
        let (broken, fatal_error) = (self.instances.broken(), Arc::clone(&resources.fatal_error));
        tokio::spawn(async move {
            if let Some(first) = broken.await {
                fatal_error.send_replace(Some(first));
            }
        });
        for mut loaded in loading {
            loaded.recv().await.unwrap_or_else(|| Err(ended(spec)))?;
        }
        self.inline = slots.map(|slots| {
            Arc::new(InlineExecutor {
                model: Arc::clone(&spec.name),
                slots,
                workers: Arc::clone(&resources.workers),
                completion,
                queue: Arc::clone(&self.queue),
                slow_calls: SlowCalls::default(),
            })
        });
        Ok(())
    }

    fn spawn(
        &self,
        spec: &ModelSpec,
        instance: u32,
        worker: Worker,
    ) -> Result<Loading, ModelError> {
        let guard = self.instances.enter(instance);
        let (loaded, result) = mpsc::channel(1);
        let spawned = thread::Builder::new()
            .name(format!("{}_{instance}", spec.name))
            .spawn(move || worker.run(guard, loaded));
        match spawned {
            Ok(_) => Ok(result),
            Err(error) => Err(ModelError::Load {
                model: Arc::clone(&spec.name),
                instance,
                message: error.to_string(),
            }),
        }
    }

    /// Queues and executes a request and returns its response.
    ///
    /// A request that can be executed inline is executed during this call, and its response is
    /// available before the future is polled.
    ///
    /// # Errors
    ///
    /// Returns a [`SchedulerError`] if the request was not executed, which contains a
    /// [`ModelError`] if the function failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future removes the request from the queue. If it is already being executed, its
    /// response is dropped.
    pub fn infer(&self, mut request: Request) -> MaybeReady<'_, Response, SchedulerError> {
        request.enqueue();
        // Later requests of the connection may proceed once this one is in the queue.
        let _arrival = request.take_arrival();
        let inline = self.inline.as_ref();
        let inline = inline.and_then(|inline| Some((inline, inline.try_acquire_worker(&request)?)));
        let Some((inline, worker)) = inline else {
            return match self.queue.push(request) {
                Ok(enqueued) => self.later(enqueued),
                Err(refused) => now(Err(refused)),
            };
        };
        match inline.push(request, &worker) {
            Ok(Pushed::Waiting(enqueued)) => self.later(enqueued),
            Ok(Pushed::Taken {
                permit,
                batch,
                mut receiver,
            }) => {
                inline.run(permit, batch);
                if let Some(outcome) = receiver.try_next() {
                    return now(outcome);
                }
                // The response must wait for those to earlier requests.
                later(async move {
                    let outcome = self.receive_unless_abandoned(&mut receiver).await;
                    outcome.unwrap_or(Err(SchedulerError::Stopping))
                })
            }
            Err(refused) => now(Err(refused)),
        }
    }

    fn later(&self, enqueued: Enqueued) -> MaybeReady<'_, Response, SchedulerError> {
        let guard = WithdrawOnDrop {
            queue: &self.queue,
            ticket: Some(enqueued.ticket),
        };
        later(self.wait(enqueued, guard))
    }

    async fn wait(&self, enqueued: Enqueued, mut guard: WithdrawOnDrop<'_>) -> Outcome {
        let Enqueued {
            ticket,
            refused,
            mut receiver,
            ..
        } = enqueued;
        let outcome = match refused {
            None => self.receive_unless_abandoned(&mut receiver).await,
            Some(refused) => tokio::select! {
                biased;
                outcome = self.receive_unless_abandoned(&mut receiver) => outcome,
                () = sleep_until(refused) => {
                    if self.queue.withdraw(ticket, FailureReason::Rejected) {
                        guard.ticket = None;
                        return Err(SchedulerError::Timeout);
                    }
                    // The request is being executed, so its queue timeout no longer applies.
                    self.receive_unless_abandoned(&mut receiver).await
                }
            },
        };
        // An abandoned request may still be in the queue.
        if outcome.is_some() {
            guard.ticket = None;
        }
        outcome.unwrap_or(Err(SchedulerError::Stopping))
    }

    /// Queues a request. The responses are received from the returned value.
    ///
    /// # Errors
    ///
    /// Returns a [`SchedulerError`] if the request is refused.
    pub fn stream(&self, mut request: Request) -> Result<ResponseStream, SchedulerError> {
        request.enqueue();
        let _arrival = request.take_arrival();
        let enqueued = self.queue.push(request)?;
        let abandoned = self.abandoned.subscribe();
        Ok(ResponseStream::new(&self.queue, enqueued, abandoned))
    }

    async fn receive_unless_abandoned(&self, receiver: &mut ResponseReceiver) -> Option<Outcome> {
        if let Some(outcome) = receiver.try_next() {
            return Some(outcome);
        }
        let mut abandoned = self.abandoned.subscribe();
        tokio::select! {
            biased;
            outcome = receiver.next() => outcome,
            _ = abandoned.wait_for(|abandoned| *abandoned) => None,
        }
    }

    /// Refuses requests that start a sequence. Running sequences continue.
    pub fn refuse_new_sequences(&self) {
        if let Some(sequences) = self.queue.sequences() {
            sequences.refuse_new_sequences();
        }
    }

    /// Completes all pending requests with an error, including those that are being executed.
    pub fn abandon(&self) {
        self.abandoned.send_replace(true);
    }

    /// Checks whether requests are accepted, for a request that need not be queued.
    ///
    /// # Errors
    ///
    /// Returns [`SchedulerError::Stopping`] if the queue is closed.
    #[inline]
    pub fn check_open(&self) -> Result<(), SchedulerError> {
        match self.queue.closed() {
            true => Err(SchedulerError::Stopping),
            false => Ok(()),
        }
    }

    /// Returns the recorder of statistics.
    #[inline]
    pub fn recorder(&self) -> &Recorder {
        self.queue.recorder()
    }

    /// Returns the number of waiting requests.
    pub fn waiting(&self) -> u64 {
        self.queue.pending()
    }

    /// Returns the statistics of the model.
    pub fn statistics(&self) -> ModelStatistics {
        self.queue.recorder().snapshot(self.queue.pending())
    }

    /// Returns the statistics without those of each batch size and response.
    pub fn totals(&self) -> ModelTotals {
        self.queue.recorder().totals(self.queue.pending())
    }

    /// Returns whether an instance is available.
    #[inline]
    pub fn ready(&self) -> bool {
        self.instances.availability() == Availability::Ready
    }

    /// Waits until all instances have ended, except stalled ones, which have no requests.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let instances = Arc::clone(&self.instances);
        async move { instances.ended().await }
    }

    /// Refuses further requests. Accepted ones are executed.
    pub fn close(&self) {
        self.queue.close();
    }

    /// Refuses further requests and waits until accepted ones are completed or `deadline` has
    /// passed.
    ///
    /// Returns whether all instances have ended, except stalled ones, which have no requests.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.queue.close();
        let ended = tokio::time::timeout_at(deadline, self.instances.ended()).await;
        ended.is_ok()
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        // This ends the instances, including those that are still being loaded.
        self.queue.close();
    }
}

/// The position of a request in the queue. Dropping it removes the request.
struct WithdrawOnDrop<'a> {
    queue: &'a Queue,
    ticket: Option<Ticket>,
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.queue.withdraw(ticket, FailureReason::Canceled);
        }
    }
}

/// Returns the reaction of the queue to changes of the instances.
fn follow(queue: &Arc<Queue>, spec: &Arc<ModelSpec>) -> impl Fn(Change) + Send + Sync + use<> {
    let (queue, spec) = (Arc::clone(queue), Arc::clone(spec));
    move |change| {
        queue.refuse(SchedulerError::refusal(&spec, change.availability));
        if let Some(sequences) = queue.sequences() {
            let all = 0..spec.instances.count();
            let one = |instance| instance..instance + 1;
            for instance in change.instance.map_or(all, one) {
                match change.is_available {
                    true => sequences.arrive(instance),
                    false => sequences.retire(instance),
                }
            }
        }
    }
}

fn ended(spec: &ModelSpec) -> ModelError {
    ModelError::Load {
        model: Arc::clone(&spec.name),
        instance: 0,
        message: "its thread exited".to_owned(),
    }
}
