use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, SelectAll, Stream, StreamExt};
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::ArrivalOrder;
use pytriton_kserve::proto::Envelope;
use tonic::Status;

use super::GrpcError;
use super::call::{Call, DecodedRequest};
use super::framed::Framed;
use super::infer::infer;
use super::request_ids::executed;
use super::stream_load::StreamLoad;
use super::streamed::Streamed;

/// The envelope of a single response.
const ONLY: Envelope = Envelope::Stream { last: true };

/// A single response, and the memory reserved for its request.
type Only = (Result<Framed, Status>, Option<MemoryPermit>);

/// The responses of a stream. Those of models with exactly one response are in the order of the
/// requests. Those of decoupled models are sent as they are produced, in turn with the others.
///
/// Source: `ModelStreamInferHandler` in Triton 2.51.
pub(super) struct StreamResponses<R> {
    /// `None` after the last request.
    requests: Option<R>,
    unary: FuturesOrdered<BoxFuture<'static, Only>>,
    streamed: SelectAll<Streamed>,
    /// The error that ends the stream after the last request.
    end: Option<Status>,
    call: Arc<Call>,
    load: StreamLoad,
    /// The order of the requests of sequences.
    order: ArrivalOrder,
    /// Whether a failed execution ends the stream.
    strict: bool,
    /// Which kind is polled first.
    unary_first: bool,
}

impl<R> StreamResponses<R>
where
    R: Stream<Item = Result<DecodedRequest, Status>> + Unpin,
{
    pub(super) fn new(requests: R, call: Arc<Call>, strict: bool) -> Self {
        Self {
            requests: Some(requests),
            unary: FuturesOrdered::new(),
            streamed: SelectAll::new(),
            end: None,
            load: StreamLoad::new(call.app_state.models.budget()),
            order: ArrivalOrder::default(),
            call,
            strict,
            unary_first: false,
        }
    }

    /// Takes available requests, up to the maximum number in progress. Returns whether it stopped
    /// because no further request may be read.
    fn poll_requests(&mut self, context: &mut Context<'_>) -> bool {
        while let Some(requests) = &mut self.requests {
            if self.load.is_full(self.unary.len(), self.streamed.len()) {
                return true;
            }
            match requests.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(asked))) => self.admit(asked),
                Poll::Ready(Some(Err(status))) => {
                    self.end = Some(status);
                    self.requests = None;
                }
                Poll::Ready(None) => self.requests = None,
                Poll::Pending => return false,
            }
        }
        false
    }

    fn is_full(&mut self) -> bool {
        self.load.is_full(self.unary.len(), self.streamed.len())
    }

    fn admit(&mut self, mut asked: DecodedRequest) {
        let ids = asked.ids;
        let (call, strict) = (Arc::clone(&self.call), self.strict);
        if let Ok((model, request)) = &mut asked.request
            && model.spec().sequence_batching().is_some()
        {
            request.arrival = Some(self.order.arrive());
        }
        let model = asked.request.as_ref().ok();
        let model = model.map(|(model, _)| &**model.spec());
        let (in_progress, reserved) = self.load.enter(model);
        let request = match asked.request {
            Ok((model, request)) if model.spec().decoupled => {
                match call.writer(&model, &ids.id, &request) {
                    Ok(writer) => {
                        let request = (model, request);
                        let call = (call, strict);
                        let mut responses = Streamed::new(call, ids, asked.end, writer, request);
                        responses.count_in(in_progress, reserved);
                        self.streamed.push(responses);
                        return;
                    }
                    Err(error) => Err(error),
                }
            }
            request => request,
        };
        let pending = async move {
            let result = match request {
                Ok((model, request)) => infer(&call, &model, &ids.id, request, ONLY).await,
                Err(error) => Err(error),
            };
            drop(in_progress);
            let message = match result {
                Ok(message) => message,
                Err(error) if strict && executed(&error) => Err(GrpcError::from(error).into()),
                Err(error) => ids.failed(&error),
            };
            (message, reserved)
        };
        self.unary.push_back(pending.boxed());
    }

    fn poll_responses(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Framed, Status>>> {
        for _ in 0..2 {
            let unary = self.unary_first;
            self.unary_first = !unary;
            let message = match unary {
                true => {
                    let message = self.unary.poll_next_unpin(context);
                    message.map(|message| message.map(|(message, _)| message))
                }
                false => self.streamed.poll_next_unpin(context),
            };
            if let Poll::Ready(Some(message)) = message {
                return Poll::Ready(Some(message));
            }
        }
        Poll::Pending
    }
}

impl<R> Stream for StreamResponses<R>
where
    R: Stream<Item = Result<DecodedRequest, Status>> + Unpin,
{
    type Item = Result<Framed, Status>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Framed, Status>>> {
        loop {
            // Asked only once: nothing wakes the task if memory becomes available in between.
            let full = self.poll_requests(context);
            if let Poll::Ready(message) = self.poll_responses(context) {
                return Poll::Ready(message);
            }
            if !full {
                break;
            }
            // A stream may have ended without a message, which frees a slot without waking the
            // task.
            if self.is_full() && self.load.poll_retry(context).is_pending() {
                break;
            }
        }
        match self.requests.is_none() && self.unary.is_empty() && self.streamed.is_empty() {
            true => Poll::Ready(self.end.take().map(Err)),
            false => Poll::Pending,
        }
    }
}
