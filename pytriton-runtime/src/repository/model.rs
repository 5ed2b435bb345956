use std::sync::Arc;

use tokio::time::Instant;

use crate::Error;
use crate::cache::ResponseCache;
use crate::heavy::{LIGHT, apart};
use crate::model::ModelSpec;
use crate::registry::Registration;
use crate::request::{InferRequest, Request, Response};
use crate::scheduler::{Policy, Scheduler, Workers};
use crate::statistics::ModelStatistics;
use crate::tensor::DataType;

use super::RepositoryError;
use super::cached::infer_cached;

/// A model that is being served.
#[derive(Debug)]
pub struct Model {
    spec: Arc<ModelSpec>,
    scheduler: Scheduler,
    cache: Option<Arc<ResponseCache>>,
}

impl Model {
    pub(super) async fn start(
        model: &Registration,
        default_queue_size: usize,
        cache: Option<Arc<ResponseCache>>,
        workers: &Arc<Workers>,
    ) -> Result<Self, RepositoryError> {
        let spec = Arc::clone(&model.spec);
        let policy = Policy::new(&spec, default_queue_size);
        let scheduler = Scheduler::start(model, policy, workers)
            .await
            .map_err(|source| RepositoryError::Load {
                location: spec.location,
                source,
            })?;
        Ok(Self {
            spec,
            scheduler,
            cache,
        })
    }

    /// What the model is.
    pub fn spec(&self) -> &Arc<ModelSpec> {
        &self.spec
    }

    /// Whether the model has an instance that takes requests.
    pub fn ready(&self) -> bool {
        self.scheduler.ready()
    }

    /// What the model has done so far.
    pub fn statistics(&self) -> ModelStatistics {
        self.scheduler.statistics()
    }

    /// Checks a request, lets it wait its turn, and returns its response; where the model keeps responses and has this
    /// one, at once.
    ///
    /// # Errors
    ///
    /// The [`Error`] of the room where the request ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the request up: it leaves the queue, or its response is not heard.
    pub async fn infer(&self, request: InferRequest) -> Result<Response, Error> {
        let strings = request.inputs.iter();
        let strings = strings.filter(|input| input.datatype == DataType::Bytes);
        let request = match strings.map(|input| input.data.len()).sum() {
            ..=LIGHT => Request::check(&self.spec, request)?,
            _ => {
                let spec = Arc::clone(&self.spec);
                apart(move || Request::check(&spec, request)).await?
            }
        };
        match &self.cache {
            Some(cache) => infer_cached(cache, &self.scheduler, request).await,
            None => self.scheduler.infer(request).await,
        }
    }

    pub(super) fn give_up(&self) {
        self.scheduler.give_up();
    }

    pub(super) async fn drain(&self, deadline: Instant) -> bool {
        self.scheduler.drain(deadline).await
    }
}
