use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesOrdered;
use parking_lot::Mutex;
use pytriton_core::instance::FatalError;
use pytriton_core::local_models::LocalModels;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::{Registration, Registry, callees_first, callers_first};
use pytriton_core::request::RequestError;
use pytriton_core::statistics::CallStatistics;
use pytriton_core::text::excerpt;
use pytriton_engine::Limits;
use pytriton_engine::options::ControlOptions;
use pytriton_scheduler::Resources;
use pytriton_scheduler::cache::{CacheUsage, ResponseCache};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use crate::ReadinessCheck;
use crate::metrics::MetricsConfig;
use crate::trace_extension::Tracer;

use super::catalog_guard::CatalogGuard;
use super::loaded_models::{LoadedSnapshot, Models};
use super::repository_index::RepositoryIndex;
use super::served_models::ServedModels;
use super::state::State;
use super::transition::Transition;
use super::{LoadError, Model};

/// The models that are being served, by name and version. Models can be added and removed while
/// others are called.
#[derive(Debug)]
pub struct ModelRepository {
    /// All models that can be served. Lock order: before `models`.
    catalog: Mutex<RepositoryIndex>,
    models: Arc<ServedModels>,
    pub(super) control: ControlOptions,
    loads: Semaphore,
    cache: OnceLock<Arc<ResponseCache>>,
    cache_bytes: usize,
    max_queue_size: usize,
    metrics: MetricsConfig,
    resources: Resources,
    pub(super) stopping: watch::Sender<bool>,
    pub(super) readiness: Mutex<Option<watch::Receiver<bool>>>,
    /// Whether any model has sequences.
    has_sequences: AtomicBool,
    tracer: OnceLock<Tracer>,
    readiness_check: OnceLock<ReadinessCheck>,
}

impl ModelRepository {
    /// Starts all models of a registry concurrently, with a response cache if a model needs it.
    ///
    /// # Errors
    ///
    /// Returns a [`LoadError`] for the first model, in the order of the registry, that cannot be
    /// loaded.
    pub async fn start(registry: &Registry, limits: &Limits) -> Result<Self, LoadError> {
        Self::controlled(registry, limits, ControlOptions::default()).await
    }

    /// Like [`start`](Self::start), with model control options.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), if the options let a failed model end the server.
    pub async fn controlled(
        registry: &Registry,
        limits: &Limits,
        control: ControlOptions,
    ) -> Result<Self, LoadError> {
        Self::observed(registry, limits, control, MetricsConfig::default()).await
    }

    /// Like [`controlled`](Self::controlled), with a metrics configuration.
    ///
    /// # Errors
    ///
    /// As [`controlled`](Self::controlled).
    pub async fn observed(
        registry: &Registry,
        limits: &Limits,
        control: ControlOptions,
        metrics: MetricsConfig,
    ) -> Result<Self, LoadError> {
        let mut catalog = RepositoryIndex::default();
        for model in registry.registrations() {
            catalog.insert(model, State::New);
        }
        let served = registry.served();
        // A model needs those that it calls.
        let at_start = served.with_callees(|name| control.at_start(name));
        let at_start = |model: &&Registration| at_start.contains(&model.spec.name);
        let at_start: Vec<&Registration> = served.registrations().filter(at_start).collect();
        for model in &at_start {
            catalog.insert(model, State::Loading);
        }
        let resources = Resources::new(&Handle::current(), limits.max_bytes_in_flight);
        let models = Arc::new(ServedModels::new(&resources.budget));
        let side_by_side = control.model_load_thread_count.max(1) as usize;
        let set = Self {
            catalog: Mutex::new(catalog),
            models,
            loads: Semaphore::new(side_by_side.min(Semaphore::MAX_PERMITS)),
            control,
            cache: OnceLock::new(),
            cache_bytes: limits.response_cache_bytes,
            max_queue_size: limits.max_queue_size,
            metrics,
            resources,
            stopping: watch::Sender::new(false),
            readiness: Mutex::default(),
            has_sequences: AtomicBool::new(false),
            tracer: OnceLock::new(),
            readiness_check: OnceLock::new(),
        };
        // A model can call others while it is loaded.
        for group in callees_first(at_start, |model| &model.spec) {
            set.start_all(group).await?;
        }
        Ok(set)
    }

    /// Starts models concurrently.
    async fn start_all(&self, models: Vec<&Registration>) -> Result<(), LoadError> {
        let loading = models.into_iter();
        let loading = loading.map(async |model| (model, self.started(model).await));
        let mut loading: FuturesOrdered<_> = loading.collect();
        while let Some((registration, started)) = loading.next().await {
            match started {
                Ok(model) => {
                    let name = &registration.spec.name;
                    let mut catalog = self.catalog();
                    let found = catalog.insert(registration, State::Loading);
                    let loaded = Some((found, model));
                    self.change(|models| Transition::new(&mut catalog, models, name, loaded));
                }
                Err(error) if self.control.exit_on_error => return Err(error),
                Err(error) => {
                    tracing::error!(%error, "a model could not be loaded; the server runs without it");
                    let spec = &registration.spec;
                    if let Some(state) = self.catalog().state(&spec.name, spec.version) {
                        *state = State::failed(&error.reason());
                    }
                }
            }
        }
        Ok(())
    }

    /// Sets the program's own check of the readiness. Only the first call has an effect.
    pub(crate) fn check_readiness(&self, check: ReadinessCheck) {
        drop(self.readiness_check.set(check));
    }

    /// Returns whether the readiness can change without a change of a model.
    pub(super) fn has_readiness_check(&self) -> bool {
        self.readiness_check.get().is_some()
    }

    /// Sets the tracer, which selects the requests that are traced. Only the first call has an
    /// effect.
    pub fn trace(&self, tracer: Tracer) {
        // An unused tracer is dropped.
        drop(self.tracer.set(tracer));
    }

    /// Returns the tracer.
    pub fn tracer(&self) -> &Tracer {
        self.tracer.get_or_init(Tracer::default)
    }

    pub(super) async fn started(&self, model: &Registration) -> Result<Model, LoadError> {
        // The semaphore is never closed.
        let _turn = self.loads.acquire().await;
        let cache = || Arc::new(ResponseCache::new(self.cache_bytes));
        let cache = model
            .spec
            .call_options
            .response_cache
            .then(|| self.cache.get_or_init(cache));
        let mut retries = self.control.model_load_retry_count;
        let model = model.clone().with_models(&self.local_models());
        loop {
            match Model::start(&model, self.max_queue_size, cache, &self.resources).await {
                Err(error) if retries > 0 => {
                    tracing::warn!(%error, retries, "loading the model failed; retrying");
                    retries -= 1;
                }
                started => {
                    return started.inspect(|model| model.distribute(&self.metrics));
                }
            }
        }
    }

    /// Returns the models that serve, and those that complete accepted requests.
    pub(crate) fn loaded(&self) -> LoadedSnapshot {
        self.models.loaded.read().snapshot()
    }

    pub(super) fn catalog(&self) -> CatalogGuard<'_> {
        // A panic under the lock can affect only one model.
        let catalog = self.catalog.lock();
        CatalogGuard::new(catalog, self.readiness_changes())
    }

    /// Returns the sender that announces possible changes of the readiness of a model or the
    /// server.
    pub(super) fn readiness_changes(&self) -> &watch::Sender<()> {
        &self.resources.readiness
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Returns whether a version is loaded, ready or not.
    pub fn is_there(&self, name: &str, version: u32) -> bool {
        let models = self.snapshot();
        models
            .get(name)
            .is_some_and(|versions| versions.contains_key(&version))
    }

    /// Returns whether a version is loaded and has an available instance.
    pub(super) fn serves(&self, name: &str, version: u32) -> bool {
        let models = self.snapshot();
        let model = models.get(name).and_then(|versions| versions.get(&version));
        model.is_some_and(|model| model.ready())
    }

    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Models) -> T) -> T {
        let mut models = self.models.loaded.write();
        let result = models.change(change);
        let mut all = models.serving().values().flat_map(BTreeMap::values);
        let has_sequences = all.any(|model| model.spec().sequence_batching().is_some());
        self.has_sequences.store(has_sequences, Ordering::Relaxed);
        drop(models);
        self.readiness_changes().send_replace(());
        result
    }

    pub(super) fn snapshot(&self) -> Arc<Models> {
        let models = self.models.loaded.read();
        Arc::clone(models.serving())
    }

    /// Waits for a fatal error of a model.
    pub fn broken(&self) -> impl Future<Output = Option<FatalError>> + Send + use<> {
        let mut fatal_error = self.resources.fatal_error.subscribe();
        async move { fatal_error.wait_for(Option::is_some).await.ok()?.clone() }
    }

    /// Returns whether a model has reported a fatal error.
    pub fn is_broken(&self) -> bool {
        self.resources.fatal_error.borrow().is_some()
    }

    /// Returns the memory budget of all requests and responses.
    pub fn budget(&self) -> &Arc<MemoryBudget> {
        &self.resources.budget
    }

    /// Returns the models for calls within the process.
    pub fn local_models(&self) -> Weak<dyn LocalModels> {
        let models: Arc<dyn LocalModels> = Arc::clone(&self.models) as _;
        Arc::downgrade(&models)
    }

    /// Returns the calls between models.
    pub fn calls(&self) -> Vec<CallStatistics> {
        self.models.call_graph.statistics()
    }

    /// Returns the metrics configuration.
    pub fn metrics_config(&self) -> &MetricsConfig {
        &self.metrics
    }

    /// Returns the usage of the response cache, or `None` if no model uses it.
    pub fn cache(&self) -> Option<CacheUsage> {
        self.cache.get().map(|cache| cache.usage())
    }

    /// Returns the models, ordered by name and version.
    pub fn models(&self) -> Vec<Arc<Model>> {
        let models = self.snapshot();
        models
            .values()
            .flat_map(BTreeMap::values)
            .cloned()
            .collect()
    }

    /// Returns whether any model has sequences, so that the order of requests matters.
    pub(crate) fn has_sequences(&self) -> bool {
        self.has_sequences.load(Ordering::Relaxed)
    }

    /// Returns whether the latest version of any model satisfies the predicate.
    pub(crate) fn has(&self, is: impl Fn(&ModelSpec) -> bool) -> bool {
        let models = self.snapshot();
        let mut latest = models.values().filter_map(BTreeMap::last_key_value);
        latest.any(|(_, model)| is(model.spec()))
    }

    /// Returns the model with this name and version. The default is the latest version.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError::UnknownModel`] or [`RequestError::UnloadedModel`].
    pub fn model(&self, name: &str, version: Option<u64>) -> Result<Arc<Model>, RequestError> {
        let models = self.models.loaded.read();
        let versions = models.serving().get(name);
        let model = match (versions, version) {
            (None, _) => None,
            (Some(versions), None) => versions.values().next_back(),
            // A larger number is not a version.
            (Some(versions), Some(version)) => u32::try_from(version)
                .ok()
                .and_then(|version| versions.get(&version)),
        };
        if let Some(model) = model {
            return Ok(Arc::clone(model));
        }
        drop(models);
        Err(self.not_found(name, version))
    }

    /// Returns the error for a missing model.
    #[cold]
    fn not_found(&self, name: &str, version: Option<u64>) -> RequestError {
        let tried = self.catalog().tried(name);
        let (name, text) = (excerpt(name), version.map(|version| version.to_string()));
        let is = |number: &u32| version.is_none_or(|version| u64::from(*number) == version);
        match tried.iter().any(is) {
            true => RequestError::UnloadedModel {
                name,
                version: text,
            },
            false => RequestError::UnknownModel {
                name,
                // The version is reported only if the model itself exists.
                version: text.filter(|_| !tried.is_empty()),
            },
        }
    }

    /// Returns the versions of a model, ascending.
    pub fn versions(&self, name: &str) -> Vec<u32> {
        let models = self.snapshot();
        let versions = models.get(name).into_iter().flatten();
        versions.map(|(&version, _)| version).collect()
    }

    /// Returns whether the server is ready: it is not stopping and, with strict readiness, every
    /// model that is not unloaded has an available instance. The program's own check, if any, must
    /// agree.
    pub fn ready(&self) -> bool {
        let well = || {
            let catalog = self.catalog();
            catalog.is_healthy(|name, version| self.serves(name, version))
        };
        let own = || {
            self.readiness_check
                .get()
                .is_none_or(ReadinessCheck::passes)
        };
        !self.is_stopping() && (!self.control.strict_readiness || well()) && own()
    }

    /// Reports that the server is not ready. Requests are still served, except those that start a
    /// sequence.
    pub fn stop_being_ready(&self) {
        self.stopping.send_replace(true);
        self.readiness_changes().send_replace(());
        for model in self.models() {
            model.scheduler.refuse_new_sequences();
        }
    }

    /// Waits until the server stops. Used to end operations that would never end by themselves.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            // An error means that the models are gone, so the server has stopped too.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
    }

    /// Completes all pending requests with an error that the server is stopping.
    pub fn abandon(&self) {
        for model in self.loaded().all() {
            model.abandon();
        }
    }

    /// Refuses further requests of all models and waits until accepted ones are completed or
    /// `deadline` has passed. Functions that complete accepted requests can still call models.
    ///
    /// Returns whether all requests were completed.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.stop_being_ready();
        let models = self.loaded();
        let all: Vec<_> = models.all().collect();
        for model in &all {
            model.close_to_clients();
        }
        let mut drained = true;
        // A model is called until its callers have completed their requests.
        for callers in callers_first(all, |model| model.spec()) {
            for model in &callers {
                model.scheduler.close();
            }
            let draining = callers.iter().map(|model| model.drain(deadline));
            drained &= join_all(draining).await.into_iter().all(|drained| drained);
        }
        drained
    }
}

#[cfg(test)]
#[path = "model_repository_tests.rs"]
mod tests;
