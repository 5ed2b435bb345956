use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError};
use pytriton_core::offload::by_weight;
use pytriton_core::request::{Request, Response, SmallVec};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::statistics::{CacheHit, FailureReason, nanoseconds};
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_scheduler::Scheduler;
use pytriton_scheduler::cache::{CacheKey, ResponseCache};

/// How many models with a response cache have been loaded.
static LOADS: AtomicU64 = AtomicU64::new(0);

/// The response cache of one model.
#[derive(Debug)]
pub(super) struct Cached {
    cache: Arc<ResponseCache>,
    /// The budget for responses from the cache.
    budget: Arc<MemoryBudget>,
    /// Distinguishes the model from earlier ones with the same name and version.
    load: u64,
}

impl Cached {
    /// Creates the cache of a model that is being loaded.
    pub(super) fn new(cache: &Arc<ResponseCache>, budget: &Arc<MemoryBudget>) -> Self {
        Self {
            cache: Arc::clone(cache),
            budget: Arc::clone(budget),
            load: LOADS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Returns the response from the cache, or executes the request and caches its response.
    ///
    /// Identical concurrent requests are all executed, as in Triton. A request whose execution
    /// fails also counts as a miss. A request does not count if another one has cached the response
    /// meanwhile.
    ///
    /// Source: `DynamicBatchScheduler::Enqueue` in Triton 2.51.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request. Its response is not cached.
    pub(super) async fn infer(
        &self,
        scheduler: &Scheduler,
        request: Request,
    ) -> Result<Response, SchedulerError> {
        scheduler.check_open()?;
        let arrived = Instant::now();
        let bytes = request.bytes();
        let load = self.load;
        let keyed = move || (CacheKey::new(&request, load), request);
        let (key, request) = by_weight(bytes, keyed).await;
        let queue = arrived.elapsed();
        let lookup = self.cache.lookup(&key);
        if let Some(response) = lookup.response {
            let response = self.reserved(response).inspect_err(|_| {
                let took = nanoseconds(arrived.elapsed());
                scheduler
                    .recorder()
                    .record_failure(FailureReason::Rejected, took);
            })?;
            scheduler.recorder().record_hit(&CacheHit {
                request: nanoseconds(arrived.elapsed()),
                queue: nanoseconds(queue),
                lookup: lookup.ns,
            });
            return Ok(response);
        }
        let outcome = scheduler.infer(request).await;
        match &outcome {
            Ok(response) => {
                let (cache, response) = (Arc::clone(&self.cache), response.clone());
                let bytes = response.bytes();
                let insertion = by_weight(bytes, move || cache.insert(key, &response)).await;
                if !insertion.known {
                    let ns = lookup.ns.saturating_add(insertion.ns);
                    scheduler.recorder().record_miss(ns);
                }
            }
            Err(SchedulerError::Model(_) | SchedulerError::Budget(_)) => {
                scheduler.recorder().record_miss(lookup.ns)
            }
            // The request was not executed.
            Err(_) => {}
        }
        outcome
    }

    /// Reserves memory for the response, because the cache may evict it before the client has
    /// received it.
    fn reserved(&self, response: Response) -> Result<Response, MemoryBudgetError> {
        let outputs = Vec::from(response.outputs).into_iter();
        let outputs = outputs.map(|(index, tensor)| {
            let tensor = TrackedTensor::reserved(tensor.into_tensor(), Some(&self.budget))?;
            Ok((index, tensor))
        });
        Ok(Response {
            outputs: outputs.collect::<Result<SmallVec<_>, _>>()?,
            held: self.budget.reserve(response.parameters.bytes())?,
            parameters: response.parameters,
        })
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::model::CallOptions;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registry};
    use pytriton_core::request::InferRequest;
    use pytriton_core::statistics::ModelTotals;
    use pytriton_engine::Limits;
    use tokio::time::{Duration, Instant, timeout};

    use crate::repository::{Model, ModelRepository};
    use crate::testing::{IDENTITY, infer_request, request};

    use super::*;

    const CACHED: ModelDeclaration = ModelDeclaration {
        options: ModelOptions {
            call_options: CallOptions::DEFAULT.response_cache(true),
            ..IDENTITY.options
        },
        ..IDENTITY
    };

    async fn start() -> ModelRepository {
        let registry = Registry::new(&[&CACHED]).unwrap();
        let started = ModelRepository::start(&registry, &Limits::default()).await;
        started.unwrap()
    }

    fn model(models: &ModelRepository) -> Arc<Model> {
        models.model("Identity", None).unwrap()
    }

    /// Returns executions, successes, failures, hits and misses.
    fn counts(totals: &ModelTotals) -> [u64; 5] {
        [
            totals.execution_count,
            totals.success.count,
            totals.fail.count,
            totals.cache_hit.count,
            totals.cache_miss.count,
        ]
    }

    #[tokio::test]
    async fn equal_requests_are_executed_once() {
        let models = start().await;
        let model = model(&models);
        let first = model.infer(request(model.spec(), 2, 1.0)).await.unwrap();
        let again = InferRequest {
            id: "other".to_owned(),
            ..infer_request(2, 1.0)
        };
        let again = Request::check(model.spec(), again).unwrap();
        assert_eq!(model.infer(again).await.unwrap(), first);
        assert_eq!(counts(&model.totals()), [1, 2, 0, 1, 1]);
        assert_eq!(model.totals().inference_count, 2);
        model.infer(request(model.spec(), 1, 1.0)).await.unwrap();
        assert_eq!(counts(&model.totals()), [2, 3, 0, 1, 2]);
        let usage = models.cache().unwrap();
        assert_eq!((usage.entries, usage.hits, usage.misses), (2, 1, 2));
    }

    #[tokio::test]
    async fn errors_are_not_cached() {
        let models = start().await;
        let model = model(&models);
        for failed in 1..=3 {
            model
                .infer(request(model.spec(), 1, -3.0))
                .await
                .unwrap_err();
            assert_eq!(counts(&model.totals()), [failed, 0, failed, 0, failed]);
        }
        assert_eq!(models.cache().unwrap().entries, 0);
    }

    #[tokio::test]
    async fn concurrent_equal_requests_cache_one_response() {
        let models = start().await;
        let model = model(&models);
        let (one, other) = tokio::join!(
            model.infer(request(model.spec(), 1, -4.0)),
            model.infer(request(model.spec(), 1, -4.0))
        );
        assert_eq!(one.unwrap(), other.unwrap());
        let [_, success, _, hits, misses] = counts(&model.totals());
        assert_eq!((success, hits, misses), (2, 0, 1));
    }

    #[tokio::test]
    async fn cancelled_request_is_not_cached() {
        let models = start().await;
        let model = model(&models);
        let cancelled = timeout(Duration::ZERO, model.infer(request(model.spec(), 1, -4.0))).await;
        assert!(cancelled.is_err());
        model.infer(request(model.spec(), 1, -4.0)).await.unwrap();
        assert_eq!(model.totals().cache_hit.count, 0);
    }

    #[tokio::test]
    async fn stopped_model_refuses_cached_requests() {
        let models = start().await;
        let model = model(&models);
        model.infer(request(model.spec(), 1, 1.0)).await.unwrap();
        assert!(models.drain(Instant::now() + Duration::from_secs(5)).await);
        let refused = model
            .infer(request(model.spec(), 1, 1.0))
            .await
            .unwrap_err();
        assert_eq!(refused, SchedulerError::Stopping);
        assert_eq!(counts(&model.totals()), [1, 1, 0, 0, 1]);
    }
}
