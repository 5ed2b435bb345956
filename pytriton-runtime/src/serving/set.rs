use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesOrdered;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use crate::Limits;
use crate::cache::{CacheUsage, ResponseCache};
use crate::engine::ControlOptions;
use crate::memory_budget::MemoryBudget;
use crate::metrics::MetricsConfig;
use crate::model::ModelSpec;
use crate::registry::{Registration, Registry};
use crate::request::RequestError;
use crate::runner::Breakdown;
use crate::scheduler::Resources;
use crate::text::excerpt;
use crate::timeline::Tracer;

use super::catalog::Catalog;
use super::lifecycle::reason;
use super::readiness::{CatalogGuard, ReadinessPublisher};
use super::settled::Settled;
use super::state::State;
use super::{LoadError, Model};

/// The models that are being served, by name and version. Models come and go while others are asked.
#[derive(Debug)]
pub struct ModelSet {
    /// What could be served. Taken before `models`, where both are.
    catalog: Mutex<Catalog>,
    /// Replaced as a whole, so that whoever looks into it keeps nobody waiting.
    models: RwLock<Arc<Models>>,
    /// Those that serve no longer, and may have accepted requests still.
    leaving: Mutex<Vec<Weak<Model>>>,
    pub(super) control: ControlOptions,
    loads: Semaphore,
    cache: OnceLock<Arc<ResponseCache>>,
    cache_bytes: usize,
    max_queue_size: usize,
    metrics: MetricsConfig,
    resources: Resources,
    pub(super) stopping: watch::Sender<bool>,
    pub(super) readiness: ReadinessPublisher,
    /// Whether any model knows sequences.
    has_sequences: AtomicBool,
    tracer: OnceLock<Tracer>,
}

pub(super) type Models = BTreeMap<Arc<str>, BTreeMap<u32, Arc<Model>>>;

impl ModelSet {
    /// Starts all models of a registry side by side, with a response cache where one of them keeps its responses.
    ///
    /// # Errors
    ///
    /// [`LoadError`] for the first model, in the order of the registry, that cannot be loaded.
    pub async fn start(registry: &Registry, limits: &Limits) -> Result<Self, LoadError> {
        Self::controlled(registry, limits, ControlOptions::default()).await
    }

    /// The same with those models that the options say.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), where the options let such a model end the server.
    pub async fn controlled(
        registry: &Registry,
        limits: &Limits,
        control: ControlOptions,
    ) -> Result<Self, LoadError> {
        Self::observed(registry, limits, control, MetricsConfig::default()).await
    }

    /// The same with other metrics than by default.
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
        let mut catalog = Catalog::default();
        for model in registry.registrations() {
            catalog.insert(model, State::New);
        }
        let served = registry.served();
        let at_start = |model: &&Registration| control.at_start(&model.spec.name);
        let at_start: Vec<&Registration> = served.registrations().filter(at_start).collect();
        for model in &at_start {
            catalog.insert(model, State::Loading);
        }
        let side_by_side = control.model_load_thread_count.max(1) as usize;
        let set = Self {
            catalog: Mutex::new(catalog),
            models: RwLock::default(),
            leaving: Mutex::default(),
            loads: Semaphore::new(side_by_side.min(Semaphore::MAX_PERMITS)),
            control,
            cache: OnceLock::new(),
            cache_bytes: limits.response_cache_bytes,
            max_queue_size: limits.max_queue_size,
            metrics,
            resources: Resources::new(&Handle::current(), limits.max_bytes_in_flight),
            stopping: watch::Sender::new(false),
            readiness: ReadinessPublisher::default(),
            has_sequences: AtomicBool::new(false),
            tracer: OnceLock::new(),
        };
        let loading = at_start.into_iter();
        let loading = loading.map(async |model| (model, set.started(model).await));
        let mut loading: FuturesOrdered<_> = loading.collect();
        while let Some((registration, started)) = loading.next().await {
            match started {
                Ok(model) => {
                    let name = &registration.spec.name;
                    let mut catalog = set.catalog();
                    let found = catalog.insert(registration, State::Loading);
                    let loaded = Some((found, model));
                    set.change(|models| Settled::new(&mut catalog, models, name, loaded));
                }
                Err(error) if set.control.exit_on_error => return Err(error),
                Err(error) => {
                    tracing::error!(%error, "the server goes on without a model");
                    let spec = &registration.spec;
                    if let Some(state) = set.catalog().state(&spec.name, spec.version) {
                        *state = State::failed(&reason(&error));
                    }
                }
            }
        }
        drop(loading);
        Ok(set)
    }

    /// Says which requests are traced; only the first to say so is heard.
    pub fn trace(&self, tracer: Tracer) {
        // Whoever comes late has nothing that is in use.
        drop(self.tracer.set(tracer));
    }

    /// Who says which requests are traced.
    pub fn tracer(&self) -> &Tracer {
        self.tracer.get_or_init(Tracer::default)
    }

    pub(super) async fn started(&self, model: &Registration) -> Result<Model, LoadError> {
        // It is never closed.
        let _turn = self.loads.acquire().await;
        let cache = || Arc::new(ResponseCache::new(self.cache_bytes));
        let cache = model
            .spec
            .response_cache
            .then(|| self.cache.get_or_init(cache));
        let mut retries = self.control.model_load_retry_count;
        loop {
            match Model::start(model, self.max_queue_size, cache, &self.resources).await {
                Err(error) if retries > 0 => {
                    tracing::warn!(%error, retries, "the model is tried again");
                    retries -= 1;
                }
                started => {
                    return started.inspect(|model| model.distribute(&self.metrics));
                }
            }
        }
    }

    /// Lets a model end once all that ask it have their answers.
    pub(super) fn let_go(&self, model: &Arc<Model>) {
        let leaving = self.leaving.lock();
        let mut leaving = leaving.unwrap_or_else(PoisonError::into_inner);
        leaving.retain(|model| model.strong_count() > 0);
        leaving.push(Arc::downgrade(model));
    }

    /// Those that serve, and those that answer what they have accepted.
    fn all_models(&self) -> Vec<Arc<Model>> {
        let mut models = self.models();
        models.extend(self.leaving());
        models
    }

    /// Those that serve no longer, and answer what they have accepted.
    pub fn leaving(&self) -> Vec<Arc<Model>> {
        let leaving = self.leaving.lock();
        let leaving = leaving.unwrap_or_else(PoisonError::into_inner);
        leaving.iter().filter_map(Weak::upgrade).collect()
    }

    pub(super) fn catalog(&self) -> CatalogGuard<'_> {
        // What panics under the lock has changed one model.
        let catalog = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        CatalogGuard::new(catalog, self.readiness_changes())
    }

    /// Is notified whenever the readiness of a model or of the server may have changed.
    pub(super) fn readiness_changes(&self) -> &watch::Sender<()> {
        &self.resources.readiness
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Whether a version has its place, ready or not.
    pub fn is_there(&self, name: &str, version: u32) -> bool {
        let models = self.snapshot();
        models
            .get(name)
            .is_some_and(|versions| versions.contains_key(&version))
    }

    /// Whether a model serves and has an instance that takes requests.
    pub(super) fn serves(&self, name: &str, version: u32) -> bool {
        let models = self.snapshot();
        let model = models.get(name).and_then(|versions| versions.get(&version));
        model.is_some_and(|model| model.ready())
    }

    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Models) -> T) -> T {
        // Whoever panics under the lock has changed a copy.
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Models::clone(&models);
        let result = change(&mut changed);
        let mut all = changed.values().flat_map(BTreeMap::values);
        let has_sequences = all.any(|model| model.spec().sequence_batching.is_some());
        self.has_sequences.store(has_sequences, Ordering::Relaxed);
        *models = Arc::new(changed);
        drop(models);
        self.readiness_changes().send_replace(());
        result
    }

    pub(super) fn snapshot(&self) -> Arc<Models> {
        let models = self.models.read();
        Arc::clone(&models.unwrap_or_else(PoisonError::into_inner))
    }

    /// Why one of the models is beyond repair, once one is.
    pub fn broken(&self) -> impl Future<Output = Option<Breakdown>> + Send + use<> {
        let mut breakdown = self.resources.breakdown.subscribe();
        async move { breakdown.wait_for(Option::is_some).await.ok()?.clone() }
    }

    /// Whether one of them is.
    pub(crate) fn is_broken(&self) -> bool {
        self.resources.breakdown.borrow().is_some()
    }

    /// The bytes that all requests and responses may hold.
    pub fn budget(&self) -> &Arc<MemoryBudget> {
        &self.resources.budget
    }

    /// What is told of how long requests take.
    pub fn metrics_config(&self) -> &MetricsConfig {
        &self.metrics
    }

    /// What the response cache holds and has done; `None` where no model keeps its responses.
    pub fn cache(&self) -> Option<CacheUsage> {
        self.cache.get().map(|cache| cache.usage())
    }

    /// The models in the order of their names and versions.
    pub fn models(&self) -> Vec<Arc<Model>> {
        let models = self.snapshot();
        models
            .values()
            .flat_map(BTreeMap::values)
            .cloned()
            .collect()
    }

    /// Whether any model knows sequences, so that the order of requests matters.
    pub(crate) fn has_sequences(&self) -> bool {
        self.has_sequences.load(Ordering::Relaxed)
    }

    /// Whether the latest version of any model is such a one.
    pub(crate) fn has(&self, is: impl Fn(&ModelSpec) -> bool) -> bool {
        let models = self.snapshot();
        let mut latest = models.values().filter_map(BTreeMap::last_key_value);
        latest.any(|(_, model)| is(model.spec()))
    }

    /// The model of that name and version, the latest where none is given.
    ///
    /// # Errors
    ///
    /// [`RequestError::UnknownModel`], [`RequestError::UnloadedModel`].
    pub fn model(&self, name: &str, version: Option<u64>) -> Result<Arc<Model>, RequestError> {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        let versions = models.get(name);
        let model = match (versions, version) {
            (None, _) => None,
            (Some(versions), None) => versions.values().next_back(),
            // No version is larger.
            (Some(versions), Some(version)) => u32::try_from(version)
                .ok()
                .and_then(|version| versions.get(&version)),
        };
        if let Some(model) = model {
            return Ok(Arc::clone(model));
        }
        drop(models);
        Err(self.absent(name, version))
    }

    /// Why there is no such model.
    #[cold]
    fn absent(&self, name: &str, version: Option<u64>) -> RequestError {
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
                // Of a model that is not there no version is missing.
                version: text.filter(|_| !tried.is_empty()),
            },
        }
    }

    /// The versions of the model of that name, ascending.
    pub fn versions(&self, name: &str) -> Vec<u32> {
        let models = self.snapshot();
        let versions = models.get(name).into_iter().flatten();
        versions.map(|(&version, _)| version).collect()
    }

    /// Whether the server is not stopping, and, unless the options are content with that, every model takes requests but those
    /// that were unloaded.
    pub fn ready(&self) -> bool {
        let well = || {
            let catalog = self.catalog();
            catalog.is_well(|name, version| self.serves(name, version))
        };
        !self.is_stopping() && (!self.control.strict_readiness || well())
    }

    /// Says to all who ask that the server is no longer ready; requests are still served, but those that start a sequence.
    pub fn stop_being_ready(&self) {
        self.stopping.send_replace(true);
        self.readiness_changes().send_replace(());
        for model in self.models() {
            model.start_no_more();
        }
    }

    /// Waits until the server stops: what would stay open for ever ends then.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            // What is gone has stopped too.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
    }

    /// Answers all requests that are still waited for with the error that the server is stopping.
    pub fn give_up(&self) {
        for model in self.all_models() {
            model.give_up();
        }
    }

    /// Refuses further requests of all models at once, and waits until all accepted ones have their responses, or `deadline`
    /// has passed.
    ///
    /// Returns whether all have theirs.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.stop_being_ready();
        let models = self.all_models();
        for model in &models {
            model.close();
        }
        let drained = models.iter().map(|model| model.drain(deadline));
        let drained = join_all(drained).await;
        drained.into_iter().all(|drained| drained)
    }
}

#[cfg(test)]
#[path = "set_tests.rs"]
mod tests;
