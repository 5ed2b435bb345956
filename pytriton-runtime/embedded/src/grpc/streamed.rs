use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::Stream;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::offload::by_weight;
use pytriton_core::request::{InferRequest, Response, TraceEvents};
use pytriton_core::response_channel::SchedulerError;
use pytriton_kserve::CodecError;
use pytriton_kserve::proto::{Envelope, ResponseWriter};
use tonic::Status;

use crate::repository::{Model, ModelResponses};
use crate::service::Error;

use super::GrpcError;
use super::call::Call;
use super::framed::{Framed, encode};
use super::request_ids::RequestIds;
use super::stream_load::InProgress;

/// The envelope of a response that others may follow.
const PART: Envelope = Envelope::Stream { last: false };

/// An encoded response. See [`encode`].
type Encoded = Result<Result<Framed, Status>, CodecError>;

/// The messages for one request of a decoupled model: one for each response, and one for the end if
/// requested.
pub(super) struct Streamed {
    ids: RequestIds,
    writer: Arc<ResponseWriter>,
    /// Whether the end is sent as a separate message.
    end: bool,
    /// Whether a failed execution ends the whole stream.
    strict: bool,
    /// The request until it is accepted.
    asked: Option<BoxFuture<'static, Result<ModelResponses, Error>>>,
    /// `None` before the request is accepted, and after the last response.
    responses: Option<ModelResponses>,
    /// Messages that are sent together.
    together: Framed,
    /// A response that is encoded on another thread.
    encoding: Option<BoxFuture<'static, Encoded>>,
    /// The error that ends the stream after these messages.
    failure: Option<Status>,
    traced: Option<(Arc<dyn TraceEvents>, Arc<Model>)>,
    /// Counts the request in its stream, with its memory.
    _counted: Option<(InProgress, Option<MemoryPermit>)>,
}

impl Streamed {
    pub(super) fn new(
        (call, strict): (Arc<Call>, bool),
        ids: RequestIds,
        end: bool,
        writer: ResponseWriter,
        (model, request): (Arc<Model>, InferRequest),
    ) -> Self {
        let traced = request.traced.clone();
        let traced = traced.map(|trace| (trace, Arc::clone(&model)));
        let asked = async move { call.app_state.stream_infer(&model, request).await };
        Self {
            ids,
            together: Framed::new(writer.empty_permit()),
            writer: Arc::new(writer),
            end,
            strict,
            asked: Some(asked.boxed()),
            responses: None,
            encoding: None,
            failure: None,
            traced,
            _counted: None,
        }
    }

    /// Counts the request in its stream until its last response is sent.
    pub(super) fn count_in(&mut self, in_progress: InProgress, reserved: Option<MemoryPermit>) {
        self._counted = Some((in_progress, reserved));
    }

    /// Encodes a response, now or on another thread.
    fn receive(&mut self, outcome: Result<Response, SchedulerError>) {
        let response = match outcome {
            Ok(response) => response,
            Err(error) => {
                let over = self.responses.as_ref().is_none_or(ModelResponses::are_over);
                return self.fail(error.into(), over);
            }
        };
        if let Some((trace, model)) = &self.traced {
            trace.responded(model.spec(), &response);
            trace.now("GRPC_SEND_START");
            trace.now("GRPC_SEND_END");
        }
        let weight = self.writer.weight(&response);
        if weight > 0 {
            let writer = Arc::clone(&self.writer);
            let encoding = by_weight(weight, move || encode(&writer, response, PART));
            self.encoding = Some(encoding.boxed());
            return;
        }
        self.append_encoded(encode(&self.writer, response, PART));
    }

    fn append_encoded(&mut self, encoded: Encoded) {
        match encoded {
            Ok(message) => self.append(message),
            Err(error) => self.fail(error.into(), true),
        }
    }

    fn fail(&mut self, error: Error, last: bool) {
        if last || self.strict {
            self.responses = None;
        }
        self.append(match self.strict {
            true => Err(GrpcError::from(error).into()),
            false => self.ids.broken(&error, last),
        });
    }

    fn append(&mut self, message: Result<Framed, Status>) {
        match message {
            Ok(message) => self.together.append(message),
            Err(status) => self.failure = Some(status),
        }
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        if let Some((trace, _)) = &self.traced {
            trace.now("REQUEST_END");
        }
    }
}

impl Stream for Streamed {
    type Item = Result<Framed, Status>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Framed, Status>>> {
        if let Some(asked) = &mut self.asked {
            let responses = ready!(asked.poll_unpin(context));
            self.asked = None;
            match responses {
                Ok(responses) => self.responses = Some(responses),
                Err(error) => return Poll::Ready(Some(self.ids.failed(&error))),
            }
        }
        while !self.together.is_full() && self.failure.is_none() {
            if let Some(encoding) = &mut self.encoding {
                let Poll::Ready(encoded) = encoding.poll_unpin(context) else {
                    break;
                };
                self.encoding = None;
                self.append_encoded(encoded);
                continue;
            }
            let Some(responses) = &mut self.responses else {
                break;
            };
            match responses.poll_next(context) {
                Poll::Ready(Some(outcome)) => self.receive(outcome),
                Poll::Ready(None) => {
                    self.responses = None;
                    if self.end {
                        let end = self.ids.end();
                        self.append(end);
                    }
                }
                Poll::Pending => break,
            }
        }
        if !self.together.is_empty() {
            return Poll::Ready(Some(Ok(self.together.take())));
        }
        if let Some(status) = self.failure.take() {
            return Poll::Ready(Some(Err(status)));
        }
        match self.responses.is_none() && self.encoding.is_none() {
            true => Poll::Ready(None),
            false => Poll::Pending,
        }
    }
}
