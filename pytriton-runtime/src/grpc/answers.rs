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
use prost::Message;
use tonic::Status;

use crate::kserve::CodecError;
use crate::kserve::proto::{Envelope, ResponseWriter};
use crate::request;

use super::GrpcError;
use super::framing::{PREFIX, Prefix};

/// Messages are combined until they have this many bytes, so that a stream of small messages does
/// not become a stream of small frames.
const TOGETHER: usize = 16 << 10;

/// Messages, each after its prefix.
#[derive(Debug, Default)]
pub(super) struct Framed {
    /// All bytes except large contents and what follows them.
    first: Vec<u8>,
    others: Vec<Bytes>,
}

/// Encodes a message with its prefix.
pub(super) fn framed(message: &impl Message) -> Result<Framed, Status> {
    let length = message.encoded_len();
    let mut first = Vec::with_capacity(PREFIX + length);
    first.extend_from_slice(&prefix(length)?);
    // Encoding fails only for lack of space, and a vector grows as needed.
    let _ = message.encode(&mut first);
    Ok(Framed {
        first,
        others: Vec::new(),
    })
}

impl Framed {
    /// Returns whether no further message should be combined with these.
    pub(super) fn is_full(&self) -> bool {
        self.first.len() >= TOGETHER || !self.others.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Adds an encoded response. Must not be called if this is full.
    ///
    /// The outer error means that the response cannot be encoded, the inner one that it is too
    /// large.
    pub(super) fn push(
        &mut self,
        writer: &ResponseWriter,
        response: request::Response,
        envelope: Envelope,
    ) -> Result<Result<(), Status>, CodecError> {
        let before = self.first.len();
        let written = writer.write(response, envelope, PREFIX, &mut self.first)?;
        self.others = written.others;
        let prefix = prefix(written.length);
        match &prefix {
            Ok(prefix) => self.first[before..][..PREFIX].copy_from_slice(prefix),
            Err(_) => {
                self.first.truncate(before);
                self.others.clear();
            }
        }
        Ok(prefix.map(drop))
    }
}

/// Encodes a response, and writes its shared-memory outputs.
///
/// The outer error means that the response cannot be encoded, the inner one that it is too large.
pub(super) fn written(
    writer: &ResponseWriter,
    response: request::Response,
    envelope: Envelope,
) -> Result<Result<Framed, Status>, CodecError> {
    let shared = writer.shared().map(|shared| (shared, response.clone()));
    let mut framed = Framed::default();
    let pushed = framed.push(writer, response, envelope)?;
    if let (Some((shared, response)), Ok(())) = (shared, &pushed) {
        shared.store(&response)?;
    }
    Ok(pushed.map(|()| framed))
}

fn prefix(length: usize) -> Result<[u8; PREFIX], Status> {
    let length = u32::try_from(length).map_err(|_| GrpcError::AnswerTooLarge { length })?;
    Ok(Prefix::plain(length))
}

/// Creates the response to a call: messages, followed by the status.
pub(super) fn response(
    messages: impl Stream<Item = Result<Framed, Status>> + Send + Unpin + 'static,
) -> Response {
    let mut response = Response::new(Body::new(Answers {
        messages,
        small: BytesMut::new(),
        pieces: VecDeque::new(),
        end: End::Open,
    }));
    let content_type = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// The body of a response: its messages and, as trailers, its status.
struct Answers<S> {
    messages: S,
    /// Small messages that follow the pieces. More may be appended.
    small: BytesMut,
    pieces: VecDeque<Bytes>,
    /// What follows when all pieces are written.
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

impl<S> Answers<S>
where
    S: Stream<Item = Result<Framed, Status>> + Unpin,
{
    /// Takes available messages, up to the size that is written at once.
    fn poll_messages(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut bytes = 0;
        while bytes < TOGETHER {
            match self.messages.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(message))) => {
                    bytes += self.append(message);
                    continue;
                }
                Poll::Ready(Some(Err(status))) => self.end = End::Status(Some(status)),
                Poll::Ready(None) => self.end = End::Status(None),
                Poll::Pending if bytes == 0 => return Poll::Pending,
                Poll::Pending => {}
            }
            break;
        }
        self.end_piece();
        Poll::Ready(())
    }

    /// Appends a message after the pieces and combines small ones. Returns its size in bytes.
    fn append(&mut self, message: Framed) -> usize {
        let Framed { first, others } = message;
        let bytes = first.len() + others.iter().map(Bytes::len).sum::<usize>();
        match self.small.is_empty() {
            // Not copied.
            true => self.small = Bytes::from(first).into(),
            false => self.small.extend_from_slice(&first),
        }
        for piece in others {
            if piece.len() < TOGETHER {
                self.small.extend_from_slice(&piece);
                continue;
            }
            self.end_piece();
            self.pieces.push_back(piece);
        }
        bytes
    }

    /// Moves the small messages to the pieces.
    fn end_piece(&mut self) {
        let small = self.small.split().freeze();
        self.pieces
            .extend(Some(small).filter(|small| !small.is_empty()));
    }
}

impl<S> HttpBody for Answers<S>
where
    S: Stream<Item = Result<Framed, Status>> + Unpin,
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
