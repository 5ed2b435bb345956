use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::TryStreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::Limits;
use crate::cache::{CacheUsage, ResponseCache};
use crate::registry::Registry;
use crate::request::RequestError;
use crate::scheduler::Workers;
use crate::text::excerpt;

use super::{Model, RepositoryError};

/// The models that are being served, by name and version.
#[derive(Debug)]
pub struct Repository {
    models: BTreeMap<Arc<str>, BTreeMap<u32, Arc<Model>>>,
    cache: Option<Arc<ResponseCache>>,
    stopping: watch::Sender<bool>,
}

impl Repository {
    /// Starts all models of a registry side by side, with a response cache where one of them keeps its responses.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::Load`] for the first model, in the order of the registry, that cannot be loaded.
    pub async fn start(registry: &Registry, limits: &Limits) -> Result<Self, RepositoryError> {
        let cached = registry.iter().any(|spec| spec.response_cache);
        let cache = cached.then(|| Arc::new(ResponseCache::new(limits.response_cache_bytes)));
        let mut models: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        let workers = Workers::of(&Handle::current());
        let loading = registry.registrations().map(|model| {
            let cache = cache.clone().filter(|_| model.spec.response_cache);
            Model::start(model, limits.max_queue_size, cache, &workers)
        });
        let mut loading: FuturesOrdered<_> = loading.collect();
        while let Some(model) = loading.try_next().await? {
            let spec = model.spec();
            let (name, version) = (Arc::clone(&spec.name), spec.version);
            let versions = models.entry(name).or_default();
            versions.insert(version, Arc::new(model));
        }
        Ok(Self {
            models,
            cache,
            stopping: watch::Sender::new(false),
        })
    }

    /// What the response cache holds and has done; `None` where no model keeps its responses.
    pub fn cache(&self) -> Option<CacheUsage> {
        self.cache.as_ref().map(|cache| cache.usage())
    }

    /// The models in the order of their names and versions.
    pub fn models(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.models.values().flat_map(BTreeMap::values)
    }

    /// The model of that name and version, the latest where none is given.
    ///
    /// # Errors
    ///
    /// [`RequestError::UnknownModel`].
    pub fn model(&self, name: &str, version: Option<u32>) -> Result<&Arc<Model>, RequestError> {
        let versions = self.models.get(name);
        let model = match version {
            Some(version) => versions.and_then(|versions| versions.get(&version)),
            None => versions.and_then(|versions| versions.values().next_back()),
        };
        model.ok_or_else(|| RequestError::UnknownModel {
            name: excerpt(name),
            // Of a model that is not there no version is missing.
            version: versions.and(version).map(|version| version.to_string()),
        })
    }

    /// The versions of the model of that name, ascending.
    pub fn versions(&self, name: &str) -> Vec<u32> {
        let versions = self.models.get(name).into_iter().flatten();
        versions.map(|(&version, _)| version).collect()
    }

    /// Whether the process answers at all; it does as long as it can be asked.
    pub fn live(&self) -> bool {
        true
    }

    /// Whether every model takes requests and the server is not stopping.
    pub fn ready(&self) -> bool {
        !*self.stopping.borrow() && self.models().all(|model| model.ready())
    }

    /// Says to all who ask that the server is no longer ready; requests are still served.
    pub fn stop_being_ready(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until the server stops: what would stay open for ever ends then.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            // A repository that is gone has stopped too.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
    }

    /// Answers all requests that are still waited for with the error that the server is stopping.
    pub fn give_up(&self) {
        self.models().for_each(|model| model.give_up());
    }

    /// Refuses further requests and waits until all accepted ones are answered, or `deadline` has passed.
    ///
    /// Returns whether all were answered.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.stop_being_ready();
        let mut all = true;
        for model in self.models() {
            all &= model.drain(deadline).await;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread::sleep;
    use std::time::Duration;

    use crate::call::{Instance, ModelError};
    use crate::registry::ModelDeclaration;
    use crate::testing::{IDENTITY, Identity};

    use super::*;

    static BOTH: Barrier = Barrier::new(2);

    fn together() -> Box<dyn Instance> {
        BOTH.wait();
        Box::new(Identity)
    }

    #[tokio::test]
    async fn models_are_loaded_side_by_side() {
        let first = ModelDeclaration {
            load: |_| Ok(together()),
            ..IDENTITY
        };
        let second = ModelDeclaration {
            version: 2,
            ..first
        };
        let registry = Registry::new(&[&first, &second]).unwrap();
        let limits = Limits::default();
        let started = Repository::start(&registry, &limits);
        let patience = Duration::from_secs(10);
        let repository = tokio::time::timeout(patience, started).await.unwrap();
        assert!(repository.unwrap().ready());
    }

    #[tokio::test]
    async fn the_first_of_several_errors_is_told() {
        fn failed(context: &crate::call::Context) -> ModelError {
            let model = context.model();
            ModelError::Load {
                model: Arc::clone(&model.name),
                instance: context.instance(),
                message: format!("version {}", model.version),
            }
        }
        let slow = ModelDeclaration {
            load: |context| {
                sleep(Duration::from_millis(50));
                Err(failed(context))
            },
            ..IDENTITY
        };
        let fast = ModelDeclaration {
            version: 2,
            load: |context| Err(failed(context)),
            ..IDENTITY
        };
        let registry = Registry::new(&[&slow, &fast]).unwrap();
        let error = Repository::start(&registry, &Limits::default()).await;
        let text = error.unwrap_err().to_string();
        assert!(text.contains("version 1"), "{text}");
    }
}
