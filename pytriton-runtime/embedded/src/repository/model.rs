use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pytriton_core::instance::check_devices;
use pytriton_core::maybe_ready::{MaybeReady, later, now};
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::Registration;
use pytriton_core::request::{Request, Response};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::statistics::{Latencies, ModelStatistics, ModelTotals, Recorder};
use pytriton_kserve::ResponseWriter;
use pytriton_scheduler::cache::ResponseCache;
use pytriton_scheduler::{Policy, Resources, Scheduler};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::metrics::MetricsConfig;

use super::cached::Cached;
use super::{Load, LoadError};

/// A model that is being served.
#[derive(Debug)]
pub struct Model {
    pub(super) spec: Arc<ModelSpec>,
    writer: ResponseWriter,
    pub(super) scheduler: Scheduler,
    cached: Option<Cached>,
    /// Whether only the functions of other models may call the model.
    only_called: AtomicBool,
    /// The runtime of the server. Threads without a runtime can call the model, too.
    pub(super) runtime: Handle,
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
            only_called: AtomicBool::new(false),
            runtime: Handle::current(),
        })
    }

    /// Returns the spec of the model.
    pub fn spec(&self) -> &Arc<ModelSpec> {
        &self.spec
    }

    /// Returns the JSON writer for its responses.
    pub fn writer(&self) -> &ResponseWriter {
        &self.writer
    }

    /// Returns whether the model has an available instance.
    pub fn ready(&self) -> bool {
        self.scheduler.ready()
    }

    /// Returns the statistics of the model.
    pub fn statistics(&self) -> ModelStatistics {
        self.scheduler.statistics()
    }

    /// Returns the statistics without those of each batch size and response.
    pub fn totals(&self) -> ModelTotals {
        self.scheduler.totals()
    }

    /// Returns the load of the model.
    pub fn load(&self) -> Load {
        let Self {
            spec, scheduler, ..
        } = self;
        let places =
            u64::from(spec.instances.count()) * u64::from(spec.call_options.batches_in_flight);
        Load {
            waiting: scheduler.waiting(),
            running: scheduler.recorder().running(),
            capacity: places * u64::from(spec.max_batch_size.max(1)),
        }
    }

    /// Starts to record latency distributions if the configuration requests them.
    pub(super) fn distribute(&self, metrics: &MetricsConfig) {
        let latencies = Latencies::new(metrics.histogram_latencies, metrics.summary_latencies);
        self.recorder().distribute(latencies);
    }

    /// Returns the recorder of its statistics.
    pub fn recorder(&self) -> &Recorder {
        self.scheduler.recorder()
    }

    /// Queues a request and returns its response. A cached response is returned immediately.
    ///
    /// # Errors
    ///
    /// Returns a [`SchedulerError`] if the request was not executed or its function failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request: it leaves the queue, or its response is dropped.
    pub fn infer(&self, request: Request) -> MaybeReady<'_, Response, SchedulerError> {
        match self.check_open() {
            Ok(()) => self.called(request),
            Err(refused) => now(Err(refused)),
        }
    }

    /// Like [`infer`](Self::infer), for a request of the function of another model.
    pub(super) fn called(&self, request: Request) -> MaybeReady<'_, Response, SchedulerError> {
        match &self.cached {
            Some(cached) => later(cached.infer(&self.scheduler, request)),
            None => self.scheduler.infer(request),
        }
    }

    /// Refuses requests from outside. Functions of other models can still call the model.
    pub(super) fn close_to_clients(&self) {
        // Requests that are queued at the same time count as accepted before.
        self.only_called.store(true, Ordering::Relaxed);
    }

    /// Checks whether requests from outside are accepted.
    #[inline]
    pub(super) fn check_open(&self) -> Result<(), SchedulerError> {
        match self.only_called.load(Ordering::Relaxed) {
            true => Err(SchedulerError::Stopping),
            false => Ok(()),
        }
    }

    /// Completes all pending requests with an error that the server is stopping.
    pub fn abandon(&self) {
        self.scheduler.abandon();
    }

    /// Refuses further requests and waits until accepted ones are completed or `deadline` has
    /// passed.
    ///
    /// Returns whether all requests were completed.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.scheduler.drain(deadline).await
    }
}
