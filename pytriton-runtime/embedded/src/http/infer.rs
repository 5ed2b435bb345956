use std::mem::take;
use std::sync::Arc;

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::model::ModelSpec;
use pytriton_core::offload::{in_place_or_on_thread, is_light, on_thread};
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::request::{Identity, InferRequest, RequestError, Response, TraceEvents};
use pytriton_core::shared_memory::Regions;
use pytriton_engine::trace::identified;
use pytriton_kserve::{
    CodecError, EncodedResponse, ResponseFormat, decode_raw_request, decode_request, header_length,
};

use crate::decompression::ASSUMED_EXPANSION;
use crate::repository::Model;
use crate::service::{AppState, Error};
use crate::trace_extension::Timeline;

use super::body::Body;
use super::compression::{Encoding, decompress};
use super::head::{BodyHeaders, HEADER_LENGTH_NAME};
use super::response::{Failure, HttpResponse, parts};
use super::traced::{context, traced};
use super::{HttpError, body};

/// Serves an inference request.
pub(super) async fn infer<B: Body>(
    app_state: &AppState,
    (name, version): (&str, Option<&str>),
    identity: Identity,
    headers: &mut HeaderMap,
    body: B,
) -> Result<HttpResponse, Failure> {
    let model = app_state.model(name, version).map_err(Failure::plain)?;
    if model.spec().decoupled {
        let endpoint = "HTTP end point";
        return Err(Failure::plain(Error::Decoupled { endpoint }));
    }
    let trace = traced(model.spec(), headers);
    let tracer = app_state.models.tracer();
    let timeline = tracer.sample(&model.spec().name, || context(headers));
    note(timeline.as_ref(), "HTTP_RECV_START");
    let known = BodyHeaders::of(headers);
    let DecompressedBody { body, json_length } = read(app_state, &known, body)
        .await
        .map_err(Failure::plain)?;
    note(timeline.as_ref(), "HTTP_RECV_END");
    let max_depth = app_state.limits.max_json_depth;
    let (length, text) = (body.len(), json_length.unwrap_or_default());
    // Not `by_weight`, whose future would contain everything that is moved through it, here and
    // below.
    let decoded = if is_light(text) {
        let (spec, regions) = (model.spec(), &app_state.regions);
        decode(spec, body, json_length, max_depth, regions)
    } else {
        let (spec, regions) = (Arc::clone(model.spec()), Arc::clone(&app_state.regions));
        let decode = move || decode(&spec, body, json_length, max_depth, &regions);
        Box::pin(in_place_or_on_thread(text, decode)).await
    };
    let (mut request, format) = decoded.map_err(|error| unread(error.into()))?;
    request.identity = identity;
    // Binary data keeps the whole body alive.
    let kept_bytes = if text < length { text } else { 0 };
    let settled = request.settle(kept_bytes);
    settled.map_err(|error| Failure::plain(Error::from(error)))?;
    request.trace = identified(trace, &request.id);
    let forwarded = headers.iter();
    let forwarded = forwarded.map(|(name, value)| (name.as_str(), value.as_bytes()));
    app_state
        .forward
        .forward(forwarded, &mut request.parameters);
    let shared = request.shared.clone();
    request.traced = timeline.clone().map(|timeline| timeline as _);
    let response = app_state.infer(&model, request).await.map_err(failure)?;
    let encoding = Encoding::of_response(known.accept_encoding);
    let text = format.text(&response);
    let weight = encoding.map_or(text, |_| {
        response.bytes().saturating_mul(COMPRESSION_WEIGHT)
    });
    let headers = take(headers);
    let encode = move |budget: &Arc<MemoryBudget>| {
        let encoded = encode(&model, &format, &response, headers, encoding, budget)?;
        if let Some(shared) = shared {
            shared.store(&response.outputs).map_err(CodecError::from)?;
        }
        Ok::<_, Error>(encoded)
    };
    let budget = app_state.models.budget();
    let encoded = if is_light(weight) {
        encode(budget)
    } else {
        let budget = Arc::clone(budget);
        Box::pin(in_place_or_on_thread(weight, move || encode(&budget))).await
    };
    note(timeline.as_ref(), "HTTP_SEND_START");
    note(timeline.as_ref(), "HTTP_SEND_END");
    encoded.map_err(Failure::plain)
}

fn note(timeline: Option<&Arc<Timeline>>, name: &'static str) {
    if let Some(timeline) = timeline {
        timeline.now(name);
    }
}

/// How many times longer it takes to compress bytes than to copy them.
const COMPRESSION_WEIGHT: usize = 16;

fn encode(
    model: &Model,
    format: &ResponseFormat,
    response: &Response,
    headers: HeaderMap,
    encoding: Option<Encoding>,
    budget: &Arc<MemoryBudget>,
) -> Result<HttpResponse, Error> {
    let permit = budget.empty_permit();
    let encoded = model.writer().write(format, response, permit)?;
    respond(encoded, headers, encoding, budget)
}

/// A decompressed body.
struct DecompressedBody {
    body: ReceivedBody,
    /// The length of its JSON part; `None` for a raw request.
    json_length: Option<usize>,
}

async fn read(
    app_state: &AppState,
    headers: &BodyHeaders<'_>,
    body: impl Body,
) -> Result<DecompressedBody, HttpError> {
    let encoding = Encoding::of_request(headers.content_encoding)?;
    let length = headers.content_length;
    let value = headers.json_length;
    let value = value.map(|value| value.to_str().unwrap_or("unreadable"));
    // Any value of the header is checked once the size of the body is known.
    let aligned_at = value.map(|value| value.parse().unwrap_or(0));
    let body = match encoding {
        None => body::read_announced(body, length, app_state, aligned_at).await?,
        Some(_) => {
            let mut body = body::read_announced(body, length, app_state, None).await?;
            let limit = app_state.limits.max_request_bytes;
            let weight = body.len().saturating_mul(ASSUMED_EXPANSION);
            let decompress = move || {
                let (bytes, permit) = body.parts();
                decompress(bytes, aligned_at, limit, permit.sibling())
            };
            on_thread(weight, decompress).await?
        }
    };
    let length = header_length(value, body.len()).map_err(Error::from)?;
    Ok(DecompressedBody {
        body,
        json_length: (value.is_none() || length > 0).then_some(length),
    })
}

pub(super) fn decode(
    model: &ModelSpec,
    body: ReceivedBody,
    json_length: Option<usize>,
    max_depth: usize,
    regions: &Regions,
) -> Result<(InferRequest, ResponseFormat), CodecError> {
    match json_length {
        Some(length) => decode_request(body, length, model, max_depth, regions),
        None => decode_raw_request(body, model),
    }
}

/// Creates the response to a request whose body was not decoded.
fn unread(error: Error) -> Failure {
    match error {
        Error::Budget(_) => Failure::plain(error),
        error => Failure::json(error),
    }
}

/// Triton sends errors of the request as JSON, and errors of its execution as plain text.
fn failure(error: Error) -> Failure {
    match error {
        Error::Request(RequestError::StringData { .. }) => Failure::plain(error),
        Error::Request(_) => Failure::json(error),
        Error::Scheduler(ref failed) if failed.is_refusal() => Failure::json(error),
        _ => Failure::plain(error),
    }
}

fn respond(
    encoded: EncodedResponse,
    mut headers: HeaderMap,
    encoding: Option<Encoding>,
    budget: &Arc<MemoryBudget>,
) -> Result<HttpResponse, Error> {
    // Reuses the memory of the request headers.
    headers.clear();
    let content_type = HeaderValue::from_static(encoded.content_type());
    headers.insert(CONTENT_TYPE, content_type);
    if let Some(length) = encoded.header_length() {
        headers.insert(HEADER_LENGTH_NAME.clone(), length.into());
    }
    if let Some(encoding) = encoding {
        let name = HeaderValue::from_static(encoding.name());
        headers.insert(CONTENT_ENCODING, name);
        let body = encoding.compress(encoded.parts(), budget.empty_permit())?;
        return Ok(parts(headers, body, Vec::new()));
    }
    Ok(parts(headers, encoded.json, encoded.binary))
}
