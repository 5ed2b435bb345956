use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use pytriton_protocol::typed::Returned;

use crate::call::block_on;
use crate::error::{CallError, Error};
use crate::request::Response;

use super::call_record::CallRecord;
use super::result_reader::ResultReader;
use super::unsent_call::{QueuedCall, UnsentCall};

/// The results of a call of a streaming model: a stream, which ends after an error. Dropping it
/// cancels the request.
#[must_use = "the request is sent when this is polled"]
pub struct CallResponses<R> {
    state: State,
    types: PhantomData<fn() -> R>,
}

enum State {
    Unsent(Box<UnsentCall>),
    Sent {
        responses: BoxStream<'static, Result<Response, Error>>,
        record: CallRecord,
        reader: ResultReader,
    },
    Ended,
}

impl<R: Returned> CallResponses<R> {
    pub(super) fn new(call: UnsentCall) -> Self {
        Self {
            state: State::Unsent(Box::new(call)),
            types: PhantomData,
        }
    }

    /// Returns the next result, or `None` after the last one.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: no result is lost.
    pub async fn next(&mut self) -> Option<Result<R::Typed, CallError>> {
        poll_fn(|context| self.poll_next_unpin(context)).await
    }

    /// Blocks the thread until the next result is available, for functions that are not `async`.
    /// Must not be used on a thread of an async runtime.
    pub fn wait_next(&mut self) -> Option<Result<R::Typed, CallError>> {
        block_on(self.next())
    }
}

impl<R: Returned> Stream for CallResponses<R> {
    type Item = Result<R::Typed, CallError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let (responses, record, reader) = match &mut self.state {
                State::Unsent(_) => {
                    let State::Unsent(call) = std::mem::replace(&mut self.state, State::Ended)
                    else {
                        return Poll::Ready(None);
                    };
                    let QueuedCall {
                        model,
                        request,
                        record,
                        reader,
                    } = match call.queued() {
                        Ok(queued) => queued,
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    };
                    let responses = model.stream(request);
                    self.state = State::Sent {
                        responses,
                        record,
                        reader,
                    };
                    continue;
                }
                State::Sent {
                    responses,
                    record,
                    reader,
                } => (responses, record, reader),
                State::Ended => return Poll::Ready(None),
            };
            let response = match responses.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(response))) => {
                    let result = reader.read::<R>(&response);
                    Some(match result {
                        Ok(result) => {
                            record.succeed();
                            Ok(result)
                        }
                        Err(error) => Err(record.failed(error)),
                    })
                }
                Poll::Ready(Some(Err(error))) => Some(Err(record.failed(error))),
                Poll::Ready(None) => {
                    record.succeed();
                    None
                }
                Poll::Pending => match record.poll_cancelled(context) {
                    Poll::Ready(error) => Some(Err(error)),
                    Poll::Pending => return Poll::Pending,
                },
            };
            if !matches!(response, Some(Ok(_))) {
                self.state = State::Ended;
            }
            return Poll::Ready(response);
        }
    }
}

impl<R> fmt::Debug for CallResponses<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallResponses").finish_non_exhaustive()
    }
}
