use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use crate::call::ModelError;
use crate::model::ModelSpec;
use crate::registry::Registration;
use crate::request::{Request, Response};
use crate::runner::{Availability, Change, InstanceSlots, Instances};
use crate::soon::{Soon, later, now};
use crate::statistics::{FailureReason, ModelStatistics, Recorder};

use super::hearing::Hearing;
use super::inline::InlineExecutor;
use super::instance::Worker;
use super::message::{Entered, Outcome, Pushed, Ticket};
use super::queue::Queue;
use super::replies::Exit;
use super::sequences::Reaper;
use super::sink::Answers;
use super::slow_calls::SlowCalls;
use super::{Policy, Resources, SchedulerError};

/// The queue and the instances of one model.
#[derive(Debug)]
pub struct Scheduler {
    pub(super) queue: Arc<Queue>,
    pub(super) instances: Arc<Instances>,
    /// Whether nobody waits for outcomes any longer.
    given_up: watch::Sender<bool>,
    /// What executes requests on the thread that read them, if the model has `inline = true`.
    inline: Option<Arc<InlineExecutor>>,
    /// Where the model's requests are those of sequences.
    _reaper: Option<Reaper>,
}

/// Where an instance's thread says whether it is loaded.
type Loading = mpsc::Receiver<Result<(), ModelError>>;

impl Scheduler {
    /// Starts the instances of a model, each on a thread of its own, and waits until all are loaded. `resources` are those
    /// of the process.
    ///
    /// # Errors
    ///
    /// [`ModelError::Load`] when an instance cannot be loaded; the others are stopped.
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
            // Whoever asks for the readiness now waits until the change can be seen.
            readiness.send_replace(());
        };
        let mut scheduler = Self {
            instances: Instances::new(Arc::clone(&spec.name), changed),
            _reaper: Reaper::start(&queue),
            queue,
            given_up: watch::Sender::new(false),
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
        let exit = Arc::new(Exit::new(spec, queue, budget));
        let count = spec.instances.count();
        let slots = spec.inline.then(|| Arc::new(InstanceSlots::new(count)));
        let mut loading = Vec::new();
        for instance in 0..count {
            let worker = Worker {
                model: model.clone(),
                number: instance,
                queue: Arc::clone(&self.queue),
                exit: Arc::clone(&exit),
                instances: Arc::clone(&self.instances),
                slots: slots.clone(),
                runtime: Handle::current(),
            };
            loading.push(self.spawn(spec, instance, worker)?);
        }
        let (broken, breakdown) = (self.instances.broken(), Arc::clone(&resources.breakdown));
        tokio::spawn(async move {
            if let Some(first) = broken.await {
                breakdown.send_replace(Some(first));
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
                exit,
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
        let presence = self.instances.enter(instance);
        let (loaded, result) = mpsc::channel(1);
        let spawned = thread::Builder::new()
            .name(format!("{}_{instance}", spec.name))
            .spawn(move || worker.run(presence, loaded));
        match spawned {
            Ok(_) => Ok(result),
            Err(error) => Err(ModelError::Load {
                model: Arc::clone(&spec.name),
                instance,
                message: error.to_string(),
            }),
        }
    }

    /// Waits in the queue, is executed, and returns the response.
    ///
    /// A request that can be executed inline is executed by this call, and its response is there
    /// before the future is polled.
    ///
    /// # Errors
    ///
    /// [`SchedulerError`] when the request was not executed, [`ModelError`] when the function failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future takes the request out of the queue; one that is being executed runs to its end unheard.
    pub fn infer(&self, mut request: Request) -> Soon<'_, Response, SchedulerError> {
        request.enqueue();
        // Later requests of the connection may pass once this one is in the queue.
        #[cfg(feature = "embedded")]
        let _arrival = request.take_arrival();
        let inline = self.inline.as_ref();
        let inline = inline.and_then(|inline| Some((inline, inline.try_acquire_worker(&request)?)));
        let Some((inline, worker)) = inline else {
            return match self.queue.push(request) {
                Ok(entered) => self.later(entered),
                Err(refused) => now(Err(refused)),
            };
        };
        match inline.push(request, &worker) {
            Ok(Pushed::Waiting(entered)) => self.later(entered),
            Ok(Pushed::Taken {
                permit,
                batch,
                mut answers,
            }) => {
                inline.run(permit, batch);
                if let Some(outcome) = answers.try_next() {
                    return now(outcome);
                }
                // Responses to earlier requests go first.
                later(async move { self.unless_given_up(&mut answers).await })
            }
            Err(refused) => now(Err(refused)),
        }
    }

    fn later(&self, entered: Entered) -> Soon<'_, Response, SchedulerError> {
        let place = Place {
            queue: &self.queue,
            ticket: Some(entered.ticket),
        };
        later(self.wait(entered, place))
    }

    async fn wait(&self, entered: Entered, mut place: Place<'_>) -> Outcome {
        let Entered {
            ticket,
            refused,
            mut answers,
            ..
        } = entered;
        let outcome = match refused {
            None => self.unless_given_up(&mut answers).await,
            Some(refused) => tokio::select! {
                biased;
                outcome = self.unless_given_up(&mut answers) => outcome,
                () = sleep_until(refused) => {
                    if self.queue.withdraw(ticket, FailureReason::Rejected) {
                        place.ticket = None;
                        return Err(SchedulerError::Timeout);
                    }
                    // It is being executed: its time to wait is over, but not in vain.
                    self.unless_given_up(&mut answers).await
                }
            },
        };
        place.ticket = None;
        outcome
    }

    /// Waits in the queue and is executed meanwhile; the answers are what is returned.
    ///
    /// # Errors
    ///
    /// [`SchedulerError`] when the request is not taken.
    pub fn hear(&self, mut request: Request) -> Result<Hearing, SchedulerError> {
        request.enqueue();
        #[cfg(feature = "embedded")]
        let _arrival = request.take_arrival();
        let entered = self.queue.push(request)?;
        let given_up = self.given_up.subscribe();
        Ok(Hearing::new(&self.queue, entered, given_up))
    }

    async fn unless_given_up(&self, answers: &mut Answers) -> Outcome {
        if let Some(outcome) = answers.try_next() {
            return outcome;
        }
        let mut given_up = self.given_up.subscribe();
        let outcome = tokio::select! {
            biased;
            outcome = answers.next() => outcome,
            _ = given_up.wait_for(|given_up| *given_up) => None,
        };
        outcome.unwrap_or_else(|| Err(SchedulerError::Stopping))
    }

    /// Refuses requests that start a sequence; what has started goes on.
    pub fn start_no_more(&self) {
        if let Some(sequences) = self.queue.sequences() {
            sequences.start_no_more();
        }
    }

    /// Ends the waiting of all requests with an error, those that are being executed too.
    pub fn give_up(&self) {
        self.given_up.send_replace(true);
    }

    /// Whether requests are still taken, for one that need not wait.
    ///
    /// # Errors
    ///
    /// [`SchedulerError::Stopping`].
    pub fn check_open(&self) -> Result<(), SchedulerError> {
        match self.queue.closed() {
            true => Err(SchedulerError::Stopping),
            false => Ok(()),
        }
    }

    /// Counts what the model does.
    pub fn recorder(&self) -> &Recorder {
        self.queue.recorder()
    }

    /// How many requests wait.
    pub fn waiting(&self) -> u64 {
        self.queue.pending()
    }

    /// What the model has done so far.
    pub fn statistics(&self) -> ModelStatistics {
        self.queue.recorder().snapshot(self.queue.pending())
    }

    /// The same without what is counted of each batch size and of each answer.
    pub fn sums(&self) -> ModelStatistics {
        self.queue.recorder().sums(self.queue.pending())
    }

    /// Whether there is an instance that takes requests.
    pub fn ready(&self) -> bool {
        self.instances.availability() == Availability::Ready
    }

    /// Waits until all instances have ended, but those that hang and so have no requests.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let instances = Arc::clone(&self.instances);
        async move { instances.ended().await }
    }

    /// Refuses further requests; those that were accepted are executed.
    pub fn close(&self) {
        self.queue.close();
    }

    /// Refuses further requests and waits until all accepted ones are answered, or `deadline` has passed.
    ///
    /// Returns whether all instances have ended, but those that hang and so have no requests.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.queue.close();
        let ended = tokio::time::timeout_at(deadline, self.instances.ended()).await;
        ended.is_ok()
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        // Its instances end, those too that are still being loaded.
        self.queue.close();
    }
}

/// A request's place in the queue, left when its future is dropped.
struct Place<'a> {
    queue: &'a Queue,
    ticket: Option<Ticket>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.queue.withdraw(ticket, FailureReason::Canceled);
        }
    }
}

/// What the queue of a model does at each change among its instances.
fn follow(queue: &Arc<Queue>, spec: &Arc<ModelSpec>) -> impl Fn(Change) + Send + Sync + use<> {
    let (queue, spec) = (Arc::clone(queue), Arc::clone(spec));
    move |change| {
        queue.refuse(SchedulerError::refusal(&spec, change.availability));
        if let Some(sequences) = queue.sequences() {
            let all = 0..spec.instances.count();
            let one = |instance| instance..instance + 1;
            for instance in change.instance.map_or(all, one) {
                match change.there {
                    true => sequences.arrive(instance),
                    false => sequences.depart(instance),
                }
            }
        }
    }
}

fn ended(spec: &ModelSpec) -> ModelError {
    ModelError::Load {
        model: Arc::clone(&spec.name),
        instance: 0,
        message: "its thread ended".to_owned(),
    }
}
