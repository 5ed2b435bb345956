use std::collections::VecDeque;
use std::mem::{replace, take};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::HttpBody;
use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use hyper::body::Frame;
use prost::Message;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request;
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::CodecError;
use pytriton_kserve::proto::{Envelope, ResponseWriter};
use tonic::Status;

use crate::service::Error;

use super::GrpcError;
use super::framing::{PREFIX, Prefix};

/// Messages are combined until they have this many bytes, so that a stream of small messages does
/// not become a stream of small frames.
const COMBINED_BYTES: usize = 16 << 10;

/// Messages, each after its prefix.
#[derive(Debug)]
pub(super) struct Framed {
    pieces: VecDeque<TrackedBytes>,
    /// The messages after the pieces. More may be appended.
    small: TrackedBuffer,
}

/// Encodes a message with its prefix. `permit` is an empty permit of the budget that it counts
/// against.
pub(super) fn framed(message: &impl Message, permit: MemoryPermit) -> Result<Framed, Status> {
    let length = message.encoded_len();
    let prefix = prefix(length)?;
    let mut framed = Framed::new(permit);
    let reserved = framed.small.reserve(PREFIX + length);
    reserved.map_err(|error| GrpcError::from(Error::from(error)))?;
    let mut free = framed.small.free_mut();
    free.extend_from_slice(&prefix);
    // Encoding fails only for lack of space, which is reserved.
    let _ = message.encode(&mut free.buf_mut());
    Ok(framed)
}

/// Encodes a response, and writes its shared-memory outputs.
///
/// The outer error means that the response cannot be encoded, the inner one that it is too large.
pub(super) fn encode(
    writer: &ResponseWriter,
    response: request::Response,
    envelope: Envelope,
) -> Result<Result<Framed, Status>, CodecError> {
    let shared = writer.shared().map(|shared| (shared, response.clone()));
    let mut framed = Framed::new(writer.empty_permit());
    let written = writer.write(response, envelope, PREFIX, &mut framed.small)?;
    match prefix(written.length) {
        Ok(prefix) => framed.small.as_mut_slice()[..PREFIX].copy_from_slice(&prefix),
        Err(status) => return Ok(Err(status)),
    }
    if !written.others.is_empty() {
        framed.end_piece();
        framed.pieces.extend(written.others);
    }
    if let Some((shared, response)) = shared {
        shared.store(&response.outputs)?;
    }
    Ok(Ok(framed))
}

impl Framed {
    /// Creates an empty list of messages. `permit` is an empty permit of the budget that they count
    /// against.
    pub(super) fn new(permit: MemoryPermit) -> Self {
        Self {
            pieces: VecDeque::new(),
            small: TrackedBuffer::new(permit),
        }
    }

    /// Returns the messages and leaves none.
    pub(super) fn take(&mut self) -> Self {
        Self {
            pieces: take(&mut self.pieces),
            small: self.small.take(),
        }
    }

    /// Returns whether no further message should be combined with these.
    pub(super) fn is_full(&self) -> bool {
        self.small.as_slice().len() >= COMBINED_BYTES || !self.pieces.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.small.as_slice().is_empty()
    }

    fn len(&self) -> usize {
        let pieces = self.pieces.iter().map(|piece| piece.len());
        pieces.sum::<usize>() + self.small.as_slice().len()
    }

    /// Appends messages. Small ones are copied to those before them, unless the memory for the copy
    /// cannot be reserved.
    pub(super) fn append(&mut self, messages: Self) {
        for piece in messages.pieces {
            if piece.len() >= COMBINED_BYTES || !self.combine(&piece) {
                self.end_piece();
                self.pieces.push_back(piece);
            }
        }
        if !self.combine(messages.small.as_slice()) {
            self.end_piece();
            self.small = messages.small;
        }
    }

    /// Copies bytes to the small messages. Returns `false` if no small message waits, or if the
    /// memory for the copy cannot be reserved.
    fn combine(&mut self, bytes: &[u8]) -> bool {
        !self.small.as_slice().is_empty() && self.small.extend_from_slice(bytes).is_ok()
    }

    /// Moves the small messages to the pieces.
    fn end_piece(&mut self) {
        let small = self.take_small();
        self.pieces.extend(small);
    }

    fn take_small(&mut self) -> Option<TrackedBytes> {
        let is_empty = self.small.as_slice().is_empty();
        (!is_empty).then(|| self.small.take().freeze())
    }

    /// Removes the first bytes.
    fn pop(&mut self) -> Option<TrackedBytes> {
        self.pieces.pop_front().or_else(|| self.take_small())
    }
}

fn prefix(length: usize) -> Result<[u8; PREFIX], Status> {
    let length = u32::try_from(length).map_err(|_| GrpcError::ResponseTooLarge { length })?;
    Ok(Prefix::plain(length))
}

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
