use std::collections::VecDeque;
use std::mem::replace;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use hyper::body::Frame;
use tonic::Status;

use crate::kserve::proto::Encode;

use super::GrpcError;
use super::framing::Prefix;

/// Messages of so many bytes are written at a time, so that a stream of small ones is no stream of small frames.
const TOGETHER: usize = 16 << 10;

/// The pieces of one message behind its prefix.
pub(super) type Pieces = Vec<Bytes>;

/// A message as it stands in a body.
pub(super) fn framed(message: impl Encode) -> Result<Pieces, Status> {
    let length = message.encoded_len();
    let prefix = u32::try_from(length).map_err(|_| GrpcError::AnswerTooLarge { length })?;
    let prefix = Prefix::plain(prefix);
    let mut first = Vec::with_capacity(prefix.len() + length.min(TOGETHER));
    first.extend_from_slice(&prefix);
    Ok(message.into_pieces(first))
}

/// The answer to a call: messages, and the status behind them.
pub(super) fn response(
    messages: impl Stream<Item = Result<Pieces, Status>> + Send + Unpin + 'static,
) -> Response {
    let mut response = Response::new(Body::new(Answers {
        messages,
        pieces: VecDeque::new(),
        end: End::Open,
    }));
    let content_type = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// The body of an answer: its messages and, as trailers, its status.
struct Answers<S> {
    messages: S,
    pieces: VecDeque<Bytes>,
    /// What is left when all pieces are written.
    end: End,
}

#[derive(Debug, Default)]
enum End {
    /// It is not known whether there are more messages.
    #[default]
    Open,
    Status(Option<Status>),
    Nothing,
}

impl<S> Answers<S>
where
    S: Stream<Item = Result<Pieces, Status>> + Unpin,
{
    /// Takes the messages that are there, as many as may be written at a time.
    fn poll_messages(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut bytes = 0;
        while bytes < TOGETHER {
            match self.messages.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(pieces))) => {
                    for piece in pieces {
                        bytes += piece.len();
                        append(&mut self.pieces, piece);
                    }
                    continue;
                }
                Poll::Ready(Some(Err(status))) => self.end = End::Status(Some(status)),
                Poll::Ready(None) => self.end = End::Status(None),
                Poll::Pending if bytes == 0 => return Poll::Pending,
                Poll::Pending => {}
            }
            break;
        }
        Poll::Ready(())
    }
}

/// Writes small pieces together.
fn append(pieces: &mut VecDeque<Bytes>, piece: Bytes) {
    match pieces.pop_back() {
        Some(last) if last.len() + piece.len() <= TOGETHER => {
            let mut last = BytesMut::from(last);
            last.extend_from_slice(&piece);
            pieces.push_back(last.freeze());
        }
        last => pieces.extend(last.into_iter().chain([piece])),
    }
}

impl<S> HttpBody for Answers<S>
where
    S: Stream<Item = Result<Pieces, Status>> + Unpin,
{
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.pieces.is_empty() && matches!(self.end, End::Open) {
            ready!(self.poll_messages(context));
        }
        if let Some(piece) = self.pieces.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        match replace(&mut self.end, End::Nothing) {
            End::Status(status) => Poll::Ready(Some(trailers(status).map(Frame::trailers))),
            End::Open | End::Nothing => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && matches!(self.end, End::Nothing)
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
