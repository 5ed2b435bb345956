use std::mem::replace;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::HttpBody;
use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use hyper::body::Frame;
use pytriton_core::tracked_bytes::TrackedBytes;
use tonic::Status;

use super::framed::{COMBINED_BYTES, Framed};

/// The body of a response: its messages and, as trailers, its status.
pub(super) struct ResponseBody<S> {
    messages: S,
    /// The messages that have not been sent.
    available: Option<Framed>,
    /// The end of the call, which follows the responses.
    end: End,
}

#[derive(Debug, Default)]
enum End {
    /// More messages may follow.
    #[default]
    Open,
    Status(Option<Status>),
    Nothing,
}

impl<S> ResponseBody<S>
where
    S: Stream<Item = Result<Framed, Status>> + Unpin,
{
    pub(super) fn new(messages: S) -> Self {
        Self {
            messages,
            available: None,
            end: End::Open,
        }
    }

    /// Takes available messages, up to the size that is written at once.
    fn poll_messages(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut bytes = 0;
        while bytes < COMBINED_BYTES {
            match self.messages.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(message))) => {
                    bytes += message.len();
                    match &mut self.available {
                        Some(available) => available.append(message),
                        None => self.available = Some(message),
                    }
                }
                Poll::Ready(Some(Err(status))) => {
                    self.end = End::Status(Some(status));
                    break;
                }
                Poll::Ready(None) => {
                    self.end = End::Status(None);
                    break;
                }
                Poll::Pending if bytes == 0 => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready(())
    }

    fn pop(&mut self) -> Option<TrackedBytes> {
        let available = self.available.as_mut()?;
        let piece = available.pop();
        if available.is_empty() {
            self.available = None;
        }
        piece
    }
}

impl<S> HttpBody for ResponseBody<S>
where
    S: Stream<Item = Result<Framed, Status>> + Unpin,
{
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.available.is_none() && matches!(self.end, End::Open) {
            ready!(self.poll_messages(context));
        }
        if let Some(piece) = self.pop() {
            return Poll::Ready(Some(Ok(Frame::data(piece.into_bytes()))));
        }
        match replace(&mut self.end, End::Nothing) {
            End::Status(status) => Poll::Ready(Some(trailers(status).map(Frame::trailers))),
            End::Open | End::Nothing => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.available.is_none() && matches!(self.end, End::Nothing)
    }
}

fn trailers(status: Option<Status>) -> Result<HeaderMap, Status> {
    let mut trailers = HeaderMap::with_capacity(2);
    match status {
        Some(status) => status.add_header(&mut trailers)?,
        None => {
            let ok = HeaderValue::from_static("0");
            trailers.insert(Status::GRPC_STATUS, ok);
        }
    }
    Ok(trailers)
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use pytriton_core::memory_budget::MemoryBudget;
    use pytriton_protocol::proto::ModelStreamInferResponse;

    use super::super::framed::framed;
    use super::*;

    const KIB: usize = 1 << 10;

    fn message(length: usize) -> ModelStreamInferResponse {
        ModelStreamInferResponse {
            error_message: "x".repeat(length),
            infer_response: None,
        }
    }

    #[test]
    fn a_message_is_reserved_until_it_is_sent_and_refused_by_a_full_budget() {
        let budget = MemoryBudget::new(64 * KIB);
        // Small messages of a stream are combined, with and without memory for the copy.
        for lengths in [
            &[8 * KIB][..],
            &[8 * KIB, 8 * KIB],
            &[6 * KIB, 10, 6 * KIB],
            &[30 * KIB; 2],
        ] {
            let framed = |length: &usize| framed(&message(*length), budget.empty_permit());
            let messages: Vec<_> = lengths.iter().map(framed).collect();
            let all: usize = lengths.iter().sum();
            assert!(messages.iter().all(Result::is_ok));
            let mut responses = ResponseBody::new(futures_util::stream::iter(messages));
            assert!(budget.reserved() >= all - 10);
            let mut sent = Vec::new();
            let mut context = Context::from_waker(Waker::noop());
            while let Poll::Ready(Some(frame)) = Pin::new(&mut responses).poll_frame(&mut context) {
                sent.extend(frame.unwrap().into_data());
            }
            let bytes: usize = sent.iter().map(Bytes::len).sum();
            assert!(bytes > all && budget.reserved() >= all - 10, "{lengths:?}");
            drop(sent);
            assert_eq!(budget.reserved(), 0, "{lengths:?}");
        }
        let full = budget.permit(60 * KIB).unwrap();
        let refused = framed(&message(8 * KIB), budget.empty_permit()).unwrap_err();
        assert!(refused.message().contains("cannot hold"), "{refused}");
        assert!(framed(&message(KIB), budget.empty_permit()).is_ok());
        drop(full);
    }
}
