use std::sync::Arc;

use axum::http::HeaderMap;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::model::{ModelSpec, Surface};
use pytriton_core::offload::by_weight;
use pytriton_core::request::{Identity, InferRequest, Response};
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::Limits;
use pytriton_kserve::json::JsonWriter;
use pytriton_kserve::openai::{OpenAiError, OpenAiRequest, VectorFormat};

use crate::service::AppState;

use super::super::body::Body;
use super::super::response::{HttpResponse, json};
use super::TextModels;
use super::accepted::{Decoded, decode_all, decoded, find, heavier};
use super::models::TextModel;

/// The maximum number of batches of one request that wait for their model at a time, so that a long
/// request does not fill the queue.
const MAX_BATCHES: usize = 16;

/// Approximate bytes of response text per byte of a vector.
const TEXT_PER_BYTE: usize = 3;

/// Serves a request for the vectors of texts.
pub(super) async fn vectors<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    (headers, identity): (&HeaderMap, Identity),
    body: B,
) -> Result<HttpResponse, OpenAiError> {
    let (known, limits) = (models.clone(), app_state.limits);
    let decode = move |asked: OpenAiRequest<'_>, assumed: usize, permit: &mut MemoryPermit| {
        let model = find(&known, &asked.model, Surface::Embeddings)?;
        let spec = model.spec();
        let request = asked.embeddings(spec, limits.max_request_bytes, permit)?;
        if let Some(bytes) = heavier(request.bytes(), assumed) {
            return Ok(Decoded::Heavy(bytes));
        }
        let bodies = request.bodies(permit)?;
        let inputs = decode_all(&bodies, spec, limits, &identity, permit)?;
        let format = VectorFormat {
            spec: Arc::clone(spec),
            encoding: request.encoding,
            dimensions: request.dimensions,
        };
        let batches = inputs.into_iter().zip(bodies).collect::<Vec<_>>();
        Ok(Decoded::Complete((model, format, batches)))
    };
    let ((model, format, batches), memory) = decoded(app_state, headers, body, decode).await?;
    let responses = infer_all(app_state, &model, headers, batches).await?;
    drop(memory);
    let bytes = responses.iter().map(Response::bytes).sum::<usize>();
    let weight = TEXT_PER_BYTE * bytes;
    let permit = app_state.models.budget().empty_permit();
    let written = by_weight(weight, move || {
        let mut body = JsonWriter::reserving(permit, weight);
        format.write(&mut body, &responses)?;
        let body: Result<_, MemoryBudgetError> = body.finish_reserved();
        Ok::<_, OpenAiError>(body?)
    });
    Ok(json(written.await?))
}

/// Passes the batches of a request to their model. Returns the responses in the same order, or the
/// first error, which cancels the others.
async fn infer_all(
    app_state: &AppState,
    model: &TextModel,
    headers: &HeaderMap,
    batches: Vec<(InferRequest, TrackedBytes)>,
) -> Result<Vec<Response>, OpenAiError> {
    let no_vectors = || OpenAiError::NoVectors {
        model: Arc::clone(&model.spec().name),
    };
    let infer = |(input, body)| async move {
        let mut pieces = model.ask(app_state, headers, input, body).await?;
        let response = pieces.response().await.ok_or_else(no_vectors)??;
        // The end is awaited, because a dropped request is cancelled in tritonserver.
        match pieces.response().await {
            None => Ok(response),
            Some(Err(error)) => Err(error),
            Some(Ok(_)) => Err(no_vectors()),
        }
    };
    let most = max_batches(model.spec(), app_state.limits);
    let responses = stream::iter(batches).map(infer).buffered(most);
    responses.try_collect().await
}

/// Returns the number of batches of one request that may wait for their model at a time. The queue
/// must be able to hold all of them, whatever their priority: otherwise a long request never
/// succeeds.
fn max_batches(spec: &ModelSpec, limits: Limits) -> usize {
    let batcher = spec.batcher.iter();
    let policies = batcher.flat_map(|batcher| {
        let levels = batcher.priority_queue_policy.iter();
        let levels = levels.map(|(_, policy)| policy);
        levels.chain([&batcher.queue_policy])
    });
    let sizes = policies.map(|policy| policy.max_queue_size as usize);
    let sizes = sizes.filter(|size| *size > 0);
    let smallest = sizes.chain([limits.max_queue_size, MAX_BATCHES]).min();
    smallest.unwrap_or(MAX_BATCHES).max(1)
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "vectors_upstream_tests.rs"]
mod upstream_tests;
