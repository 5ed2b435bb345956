use std::sync::Arc;

use futures_util::FutureExt;
use tokio::time::Instant;

use crate::cache::ResponseCache;
use crate::kserve::ResponseWriter;
use crate::metrics::MetricsConfig;
use crate::model::ModelSpec;
use crate::registry::Registration;
use crate::request::{Request, Response};
use crate::runner::check_devices;
use crate::scheduler::{Policy, Resources, Scheduler, SchedulerError};
use crate::soon::{Soon, later};
use crate::statistics::{Latencies, ModelStatistics};

use super::cached::Cached;
use super::{Answers, Load, LoadError};

/// A model that is being served.
#[derive(Debug)]
pub struct Model {
    spec: Arc<ModelSpec>,
    writer: ResponseWriter,
    scheduler: Scheduler,
    cached: Option<Cached>,
}

impl Model {
    pub(super) async fn start(
        model: &Registration,
        default_queue_size: usize,
        cache: Option<&Arc<ResponseCache>>,
        resources: &Resources,
    ) -> Result<Self, LoadError> {
        let spec = Arc::clone(&model.spec);
        let policy = Policy::new(&spec, default_queue_size);
        let failed = |source| LoadError {
            location: spec.location,
            source,
        };
        check_devices(&spec).map_err(failed)?;
        let scheduler = Scheduler::start(model, policy, resources);
        let scheduler = scheduler.await.map_err(failed)?;
        Ok(Self {
            writer: ResponseWriter::new(&spec),
            spec,
            scheduler,
            cached: cache.map(|cache| Cached::new(cache, &resources.budget)),
        })
    }

    /// What the model is.
    pub fn spec(&self) -> &Arc<ModelSpec> {
        &self.spec
    }

    /// Writes its responses as JSON.
    pub fn writer(&self) -> &ResponseWriter {
        &self.writer
    }

    /// Whether the model has an instance that takes requests.
    pub fn ready(&self) -> bool {
        self.scheduler.ready()
    }

    /// What the model has done so far.
    pub fn statistics(&self) -> ModelStatistics {
        self.scheduler.statistics()
    }

    /// The same without what is counted of each batch size and of each answer.
    pub fn sums(&self) -> ModelStatistics {
        self.scheduler.sums()
    }

    /// How busy the model is.
    pub fn load(&self) -> Load {
        let Self {
            spec, scheduler, ..
        } = self;
        let places = u64::from(spec.instances.count()) * u64::from(spec.batches_in_flight);
        Load {
            waiting: scheduler.waiting(),
            running: scheduler.recorder().running(),
            capacity: places * u64::from(spec.max_batch_size.max(1)),
        }
    }

    /// Counts from here on how the durations of its requests are distributed, where that is asked for.
    pub(super) fn distribute(&self, metrics: &MetricsConfig) {
        let latencies = Latencies::new(metrics.histogram_latencies, metrics.summary_latencies);
        self.scheduler.recorder().distribute(latencies);
    }

    /// How the durations of its requests are distributed; `None` where nobody has asked for it.
    pub fn latencies(&self) -> Option<Latencies> {
        self.scheduler.recorder().latencies()
    }

    /// Lets a request wait its turn and returns its response; where the model keeps responses and has this one, at once.
    ///
    /// # Errors
    ///
    /// [`SchedulerError`] when the request was not executed or its function failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the request up: it leaves the queue, or its response is not heard.
    pub fn infer(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, SchedulerError>> + Send {
        self.ask(request)
    }

    /// The same, of which it can be seen whether the response is there already.
    pub(crate) fn ask(&self, request: Request) -> Soon<'_, Response, SchedulerError> {
        match &self.cached {
            Some(cached) => later(cached.infer(&self.scheduler, request)),
            None => self.scheduler.infer(request),
        }
    }

    /// Lets a request wait its turn; its answers come where the model is decoupled as they are made, otherwise one comes.
    ///
    /// # Errors
    ///
    /// [`SchedulerError`] when the request is not taken.
    pub fn answers(self: &Arc<Self>, request: Request) -> Result<Answers, SchedulerError> {
        if self.spec.decoupled {
            let hearing = self.scheduler.hear(request)?;
            return Ok(Answers::many(hearing, self));
        }
        let model = Arc::clone(self);
        Ok(Answers::one(
            async move { model.infer(request).await }.boxed(),
        ))
    }

    /// Refuses requests that start a sequence; what has started goes on.
    pub fn start_no_more(&self) {
        self.scheduler.start_no_more();
    }

    /// Answers all requests that are still waited for with the error that the server is stopping.
    pub fn give_up(&self) {
        self.scheduler.give_up();
    }

    /// Refuses further requests; those that were accepted are executed.
    pub fn close(&self) {
        self.scheduler.close();
    }

    /// Waits until its instances have ended, which they do when nobody has the model any longer and all is answered.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        self.scheduler.ended()
    }

    /// Refuses further requests and waits until all accepted ones are answered, or `deadline` has passed.
    ///
    /// Returns whether all were answered.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.scheduler.drain(deadline).await
    }
}
