use std::sync::Arc;

use axum::http::header::CONTENT_ENCODING;
use axum::http::{HeaderMap, StatusCode};
use futures_util::stream::unfold;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::offload::by_weight;
use pytriton_core::request::{Identity, Response, TraceEvents};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::text::for_client;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::trace::identified;
use pytriton_kserve::generate::{GenerateFormat, decode_generate_request};
use pytriton_kserve::{CodecError, GenerateError, error_json};

use crate::repository::ModelResponses;
use crate::service::{AppState, Error};

use super::body::Body;
use super::events::{EVENT, Events, event, first_event};
use super::response::{Failure, HttpResponse, events, json, retry_after};
use super::response_trace::ResponseTrace;
use super::traced::{context, traced};
use super::{HttpError, body};

/// Serves a request with exactly one response.
///
/// Source: `HTTPAPIServer::HandleGenerate` in Triton 2.51.
pub(super) async fn generate<B: Body>(
    app_state: &AppState,
    model: (&str, Option<&str>),
    identity: Identity,
    headers: &HeaderMap,
    body: B,
) -> Result<HttpResponse, Failure> {
    let asked = ask(app_state, model, identity, headers, body).await;
    let mut asked = asked.map_err(Failure::json)?;
    let only = match asked.responses.next().await {
        Some(first) if asked.responses.next().await.is_none() => first,
        _ => {
            let error = CodecError::from(GenerateError::ResponseCount);
            return Err(Failure::json(Error::from(error)));
        }
    };
    let written = asked.writer.write(only, [b""; 2]).await;
    Ok(json(written.map_err(Failure::json)?))
}

/// Serves a request with any number of responses, each sent as an event.
///
/// The status is that of the first response. If the first response takes long, the HTTP response
/// begins without it.
pub(super) async fn generate_stream<B: Body>(
    app_state: &AppState,
    model: (&str, Option<&str>),
    identity: Identity,
    headers: &HeaderMap,
    body: B,
) -> Result<HttpResponse, Failure> {
    let asked = ask(app_state, model, identity, headers, body).await;
    let mut asked = asked.map_err(Failure::json)?;
    let first = match first_event(asked.responses.next()).await {
        None => Ok(None),
        Some(None) => return Ok(events(StatusCode::OK, Events::none())),
        Some(Some(Err(error))) if error.is_refusal() => {
            return Err(Failure::json(Error::from(error)));
        }
        Some(Some(first)) => asked.writer.write(first, EVENT).await.map(Some),
    };
    let status = match &first {
        Ok(_) => StatusCode::OK,
        Err(error) => {
            StatusCode::from_u16(error.status().http()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
        }
    };
    let retry_time = first.as_ref().err().and_then(Error::retry_after);
    let others = unfold(asked, async |mut asked| {
        let next = asked.next().await?;
        Some((next, asked))
    });
    let first = first.unwrap_or_else(|error| Some(failed(&error)));
    let mut response = events(status, Events::new(first, others));
    if let Some(time) = retry_time {
        retry_after(&mut response, time);
    }
    Ok(response)
}

/// An accepted request.
struct AcceptedRequest {
    responses: ModelResponses,
    writer: Writer,
}

/// Encodes its responses.
struct Writer {
    format: Arc<GenerateFormat>,
    budget: Arc<MemoryBudget>,
    response_trace: Option<ResponseTrace>,
}

async fn ask(
    app_state: &AppState,
    (name, version): (&str, Option<&str>),
    identity: Identity,
    headers: &HeaderMap,
    body: impl Body,
) -> Result<AcceptedRequest, HttpError> {
    let model = app_state.model(name, version)?;
    let tracer = app_state.models.tracer();
    let timeline = tracer.sample(&model.spec().name, || context(headers));
    if let Some(timeline) = &timeline {
        timeline.now("HTTP_RECV_START");
    }
    let encoding = headers.get(CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| encoding != "identity") {
        return Err(HttpError::GenerateEncoding);
    }
    let trace = traced(model.spec(), headers);
    let body = body::read(body, headers, app_state, None).await?;
    if let Some(timeline) = &timeline {
        timeline.now("HTTP_RECV_END");
    }
    let max_depth = app_state.limits.max_json_depth;
    let spec = Arc::clone(model.spec());
    let length = body.len();
    let decode = move || {
        let (body, request) = body.into_request();
        decode_generate_request(&body, &spec, max_depth, request)
    };
    let mut request = by_weight(length, decode).await.map_err(Error::from)?;
    request.identity = identity;
    request.settle(0).map_err(Error::from)?;
    request.trace = identified(trace, &request.id);
    let format = GenerateFormat::new(model.spec(), &request.id, &request.memory);
    let writer = Writer {
        format: Arc::new(format.map_err(Error::from)?),
        budget: Arc::clone(app_state.models.budget()),
        response_trace: timeline
            .as_ref()
            .map(|timeline| ResponseTrace::new(timeline, model.spec())),
    };
    request.traced = timeline.map(|timeline| timeline as _);
    let responses = app_state.stream_infer(&model, request).await?;
    Ok(AcceptedRequest { responses, writer })
}

impl AcceptedRequest {
    /// Returns the next event.
    async fn next(&mut self) -> Option<TrackedBytes> {
        let response = self.responses.next().await?;
        let written = self.writer.write(response, EVENT).await;
        Some(written.unwrap_or_else(|error| failed(&error)))
    }
}

impl Writer {
    async fn write(
        &self,
        response: Result<Response, SchedulerError>,
        around: [&'static [u8]; 2],
    ) -> Result<TrackedBytes, Error> {
        let response = response?;
        if let Some(response_trace) = &self.response_trace {
            response_trace.responded(&response);
        }
        let (format, budget) = (Arc::clone(&self.format), Arc::clone(&self.budget));
        let weight = response.bytes();
        let write = move || Ok(format.write(&response, budget.empty_permit(), around)?);
        by_weight(weight, write).await
    }
}

/// Creates the event of an error. Other events may follow.
fn failed(error: &Error) -> TrackedBytes {
    TrackedBytes::short(&event(error_json(&for_client(error))))
}
