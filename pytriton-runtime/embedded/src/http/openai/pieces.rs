use std::sync::Arc;

use axum::http::HeaderMap;
use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{InferRequest, Response};
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::openai::{OpenAiError, Piece};
use pytriton_protocol::tensor::BytesElements;

use crate::repository::ModelResponses;
use crate::service::{AppState, Error};

use super::super::response_trace::ResponseTrace;
use super::super::traced::naming;
use super::super::traced::{context, traced};
use super::models::TextModel;
use super::upstream_responses::UpstreamResponses;

/// How often the text of a piece exists besides its response: as a copy, and once more while it is
/// searched for stop sequences.
const TEXT_COPIES: usize = 2;

/// The pieces of one choice. Dropping it cancels the choice.
#[derive(Debug)]
pub(super) struct Pieces {
    spec: Arc<ModelSpec>,
    budget: Arc<MemoryBudget>,
    responses: Responses,
}

#[derive(Debug)]
enum Responses {
    Local(ModelResponses, Option<ResponseTrace>),
    Upstream(UpstreamResponses),
}

impl TextModel {
    /// Passes a request to the model, in this process or in tritonserver. A model in this process
    /// that has been replaced or unloaded refuses it.
    pub(super) async fn ask(
        &self,
        app_state: &AppState,
        headers: &HeaderMap,
        mut request: InferRequest,
        body: TrackedBytes,
    ) -> Result<Pieces, OpenAiError> {
        let (budget, spec) = (app_state.models.budget(), self.spec());
        let responses = match self {
            Self::Local(model) => {
                // It has been decoded already.
                drop(body);
                request.trace = traced(spec, headers);
                let tracer = app_state.models.tracer();
                let timeline = tracer.sample(&spec.name, || context(headers));
                let response_trace = timeline.as_ref();
                let response_trace =
                    response_trace.map(|timeline| ResponseTrace::new(timeline, spec));
                request.traced = timeline.map(|timeline| timeline as _);
                let stream = app_state.stream_infer(model, request).await?;
                Responses::Local(stream, response_trace)
            }
            Self::Upstream(upstream, spec) => {
                let request = pytriton_core::request::Request::check(spec, request);
                request.map_err(Error::from)?;
                let asked = upstream.ask(spec, naming(headers), &body, budget.exact_permit());
                Responses::Upstream(asked?)
            }
        };
        Ok(Pieces {
            spec: Arc::clone(spec),
            budget: Arc::clone(budget),
            responses,
        })
    }
}

impl Pieces {
    /// Returns the next piece, or `None` after the last one. The permit covers the text of the
    /// piece.
    pub(super) async fn next(&mut self) -> Option<Result<(Piece, MemoryPermit), OpenAiError>> {
        let response = self.response().await?;
        Some(response.and_then(|response| piece(&self.spec, &response, &self.budget)))
    }

    /// Returns the next response of the model, or `None` after the last one.
    pub(super) async fn response(&mut self) -> Option<Result<Response, OpenAiError>> {
        match &mut self.responses {
            Responses::Local(stream, response_trace) => {
                let response = stream.next().await?;
                if let (Ok(response), Some(response_trace)) = (&response, response_trace) {
                    response_trace.responded(response);
                }
                Some(response.map_err(|error| Error::from(error).into()))
            }
            Responses::Upstream(upstream) => upstream.next().await,
        }
    }

    /// Reserves the memory of text that a choice has held back.
    pub(super) fn reserve(&self, bytes: usize) -> Result<MemoryPermit, OpenAiError> {
        Ok(self.budget.permit(bytes).map_err(Error::from)?)
    }
}

fn piece(
    spec: &ModelSpec,
    response: &Response,
    budget: &Arc<MemoryBudget>,
) -> Result<(Piece, MemoryPermit), OpenAiError> {
    let output = response.outputs.iter().next();
    let mut elements = output.map(|(_, tensor)| BytesElements::new(tensor.data()));
    let text = elements.as_mut().and_then(Iterator::next);
    let text = text.and_then(Result::ok);
    let text = text.and_then(|text| std::str::from_utf8(text).ok());
    let text = text.ok_or_else(|| OpenAiError::NoText {
        model: Arc::clone(&spec.name),
    })?;
    let permit = budget.permit(TEXT_COPIES * text.len());
    let permit = permit.map_err(Error::from)?;
    let piece = Piece::from_text(text.to_owned(), &response.parameters);
    Ok((piece, permit))
}

#[cfg(test)]
mod tests {
    use pytriton_kserve::openai::Choice;
    use pytriton_protocol::tensor::Tensor;

    use crate::testing::IDENTITY;
    use crate::testing::heap::peak;

    use super::*;

    #[test]
    fn text_of_a_piece_stays_within_its_reservation() {
        const TEXT_BYTES: usize = 1 << 20;
        const OVERHEAD: usize = 4 << 10;
        let spec = IDENTITY.spec().unwrap();
        let text = "a".repeat(TEXT_BYTES);
        let text = Tensor::from_elements(vec![1], vec![text]).unwrap();
        let response = Response::new(vec![(0, text.into())].into());
        let budget = MemoryBudget::new(4 * TEXT_BYTES);
        for stops in [vec![], vec!["aab".to_owned()]] {
            let mut choice = Choice::new(stops);
            let (pushed, peak) = peak(|| {
                let (piece, permit) = piece(&spec, &response, &budget).unwrap();
                (choice.push(piece), permit)
            });
            let reserved = budget.reserved();
            assert!(peak <= reserved + OVERHEAD, "{peak} of {reserved}");
            drop(pushed);
            assert_eq!(budget.reserved(), 0);
        }
        let budget = MemoryBudget::new(TEXT_BYTES);
        let (refused, peak) = peak(|| piece(&spec, &response, &budget));
        assert_eq!(refused.unwrap_err().status(), 503);
        assert!(peak <= OVERHEAD, "{peak}");
    }
}
