use std::sync::Arc;

use axum::http::HeaderMap;

use crate::model::ModelSpec;
use crate::openai::{OpenAiError, Piece};
use crate::repository::ModelResponses;
use crate::request::{InferRequest, Response};
use crate::service::{AppState, Error};
use crate::tensor::BytesElements;
use crate::tracked_bytes::TrackedBytes;

use super::super::response_trace::ResponseTrace;
#[cfg(tritonserver)]
use super::super::traced::naming;
use super::super::traced::{context, traced};
use super::TextModels;
#[cfg(tritonserver)]
use super::replies::Replies;

/// The pieces of one choice. Dropping it cancels the choice.
#[derive(Debug)]
pub(super) enum Pieces {
    Here(Arc<ModelSpec>, ModelResponses, Option<ResponseTrace>),
    #[cfg(tritonserver)]
    There(Replies),
}

impl TextModels {
    /// Passes a request to its model, in this process or in tritonserver.
    pub(super) async fn ask(
        &self,
        app_state: &AppState,
        spec: &Arc<ModelSpec>,
        headers: &HeaderMap,
        mut request: InferRequest,
        body: TrackedBytes,
    ) -> Result<Pieces, OpenAiError> {
        match self {
            Self::Here(_) => {
                // It has been decoded already.
                drop(body);
                let model = app_state.model(&spec.name, None)?;
                request.trace = traced(spec, headers);
                let tracer = app_state.models.tracer();
                let timeline = tracer.sample(&spec.name, || context(headers));
                let response_trace = timeline.as_ref();
                let response_trace =
                    response_trace.map(|timeline| ResponseTrace::new(timeline, spec));
                request.traced = timeline.map(|timeline| timeline as _);
                let answers = app_state.answers(&model, request).await?;
                Ok(Pieces::Here(Arc::clone(spec), answers, response_trace))
            }
            #[cfg(tritonserver)]
            Self::There(upstream) => {
                let request = crate::request::Request::check(spec, request);
                request.map_err(Error::from)?;
                Ok(Pieces::There(upstream.ask(spec, naming(headers), &body)))
            }
        }
    }
}

impl Pieces {
    /// Returns the next piece, or `None` after the last one.
    pub(super) async fn next(&mut self) -> Option<Result<Piece, OpenAiError>> {
        match self {
            Self::Here(spec, answers, response_trace) => Some(match answers.next().await? {
                Ok(response) => {
                    if let Some(response_trace) = response_trace {
                        response_trace.answered(&response);
                    }
                    piece(spec, &response)
                }
                Err(error) => Err(Error::from(error).into()),
            }),
            #[cfg(tritonserver)]
            Self::There(replies) => replies.next().await,
        }
    }
}

pub(super) fn piece(spec: &ModelSpec, response: &Response) -> Result<Piece, OpenAiError> {
    let output = response.outputs.iter().next();
    let mut elements = output.map(|(_, tensor)| BytesElements::new(tensor.data()));
    let text = elements.as_mut().and_then(Iterator::next);
    let text = text.and_then(Result::ok).and_then(|text| {
        let text = std::str::from_utf8(text).ok()?;
        Some(text.to_owned())
    });
    let text = text.ok_or_else(|| OpenAiError::NoText {
        model: Arc::clone(&spec.name),
    })?;
    Ok(Piece::from_text(text, &response.parameters))
}
