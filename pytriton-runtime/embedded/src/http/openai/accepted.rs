use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use axum::http::header::CONTENT_ENCODING;
use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};
use pytriton_core::model::{ModelSpec, Surface};
use pytriton_core::offload::{by_weight, is_light};
use pytriton_core::request::{Identity, InferRequest};
use pytriton_core::text::excerpt;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::Limits;
use pytriton_kserve::CodecError;
use pytriton_kserve::generate::decode_generate_request;
use pytriton_kserve::openai::{Choice, Format, OpenAiError, OpenAiRequest};

use crate::service::{AppState, Error};

use super::super::body::Body;
use super::super::{HttpError, body};
use super::TextModels;
use super::models::TextModel;
use super::pieces::Pieces;

/// An accepted request.
#[derive(Debug)]
pub(super) struct AcceptedRequest {
    pub(super) stream: bool,
    pub(super) format: Format,
    pub(super) budget: Arc<MemoryBudget>,
    /// One choice for each prompt.
    pub(super) choices: Vec<(Pieces, Choice)>,
}

/// Decodes a request and passes it to its model.
pub(super) async fn ask<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    surface: Surface,
    (headers, identity): (&HeaderMap, Identity),
    body: B,
) -> Result<AcceptedRequest, OpenAiError> {
    let (known, limits) = (models.clone(), app_state.limits);
    let decode = move |asked: OpenAiRequest<'_>, assumed: usize, permit: &mut MemoryPermit| {
        let model = find(&known, &asked.model, surface)?;
        let request = asked.of(model.spec(), surface, limits.max_request_bytes, permit)?;
        if let Some(bytes) = heavier(request.bytes(), assumed) {
            return Ok(Decoded::Heavy(bytes));
        }
        let bodies = request.bodies(permit)?;
        let inputs = decode_all(&bodies, model.spec(), limits, &identity, permit)?;
        Ok(Decoded::Complete((model, request.options, inputs, bodies)))
    };
    let decoded = decoded(app_state, headers, body, decode).await?;
    let ((model, options, inputs, bodies), _memory) = decoded;
    let mut choices = Vec::with_capacity(inputs.len());
    for (input, body) in inputs.into_iter().zip(bodies) {
        let pieces = model.ask(app_state, headers, input, body).await?;
        choices.push((pieces, Choice::new(options.stops.clone())));
    }
    Ok(AcceptedRequest {
        stream: options.stream,
        format: Format::new(
            surface,
            number(),
            now(),
            &model.spec().name,
            options.include_usage,
        ),
        budget: Arc::clone(app_state.models.budget()),
        choices,
    })
}

/// A decoded request, or why it is not decoded yet.
#[derive(Debug)]
pub(super) enum Decoded<T> {
    Complete(T),
    /// Decoding processes this number of bytes, more than was assumed.
    Heavy(usize),
}

/// Reads the body of a request and decodes it. The permit covers the result.
///
/// `decode` also receives the number of bytes that it is assumed to process. It is called again
/// if it returns [`Decoded::Heavy`].
pub(super) async fn decoded<B: Body, T: Send + 'static>(
    app_state: &AppState,
    headers: &HeaderMap,
    body: B,
    mut decode: impl Fn(OpenAiRequest<'_>, usize, &mut MemoryPermit) -> Result<Decoded<T>, OpenAiError>
    + Send
    + 'static,
) -> Result<(T, MemoryPermit), OpenAiError> {
    let encoding = headers.get(CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| encoding != "identity") {
        return Err(HttpError::GenerateEncoding.into());
    }
    let mut body = body::read(body, headers, app_state, None).await?;
    let mut weight = body.len();
    loop {
        let work = move || {
            let (bytes, permit) = body.parts();
            let reserved = permit.bytes();
            let asked = OpenAiRequest::read(bytes, permit)?;
            Ok::<_, OpenAiError>(match decode(asked, weight, permit)? {
                Decoded::Complete(decoded) => ControlFlow::Break((decoded, permit.take())),
                Decoded::Heavy(bytes) => {
                    permit.shrink_to(reserved);
                    ControlFlow::Continue((bytes, body, decode))
                }
            })
        };
        match by_weight(weight, work).await? {
            ControlFlow::Break(decoded) => return Ok(decoded),
            ControlFlow::Continue(again) => (weight, body, decode) = again,
        }
    }
}

/// Returns the bytes of the requests to a model if they must be written on another thread. Each
/// request to the model repeats the members that all of them share. A request that hardly grows is
/// not parsed twice.
pub(super) fn heavier(bytes: usize, assumed: usize) -> Option<usize> {
    (!is_light(bytes) && bytes / 2 > assumed).then_some(bytes)
}

/// Decodes the requests to a model.
pub(super) fn decode_all(
    bodies: &[TrackedBytes],
    spec: &ModelSpec,
    limits: Limits,
    identity: &Identity,
    permit: &MemoryPermit,
) -> Result<Vec<InferRequest>, OpenAiError> {
    let requests = bodies.iter().map(|body| {
        let decoded = choice_request(body, spec, limits.max_json_depth, identity, permit);
        decoded.map_err(|error| Error::from(error).into())
    });
    requests.collect()
}

/// Decodes one of many requests to a model, so that each is counted from its first byte.
pub(in crate::http) fn choice_request(
    body: &[u8],
    spec: &ModelSpec,
    max_depth: usize,
    identity: &Identity,
    permit: &MemoryPermit,
) -> Result<InferRequest, CodecError> {
    let request = InferRequest::new(permit.exact_sibling());
    let mut request = decode_generate_request(body, spec, max_depth, request)?;
    request.identity = identity.clone();
    request.settle(0)?;
    Ok(request)
}

/// Returns the model of a request to a route.
pub(super) fn find(
    models: &TextModels,
    name: &str,
    asked: Surface,
) -> Result<TextModel, OpenAiError> {
    let unknown = || OpenAiError::UnknownModel {
        model: excerpt(name),
    };
    let model = models.find(name)?.ok_or_else(unknown)?;
    match model.spec().openai {
        Some(served) if served == asked => Ok(model),
        Some(served) => Err(OpenAiError::OtherSurface {
            model: Arc::clone(&model.spec().name),
            asked,
            served,
        }),
        None => Err(unknown()),
    }
}

/// Returns a unique number.
fn number() -> u128 {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(now()));
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    u128::from(*PROCESS) << 64 | u128::from(number)
}

/// Returns the time in seconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
