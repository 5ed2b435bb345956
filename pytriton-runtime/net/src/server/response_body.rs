use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};

use crate::ResponseContent;
use crate::server::stream_handle::OpenStream;
use crate::server::tracked_bytes::TrackedBytes;

/// The largest data frame that is handed to an HTTP/2 connection.
const HTTP2_PIECE_BYTES: usize = 64 << 10;

/// The end of an HTTP/2 response is handed over when at most this many bytes of it are unsent.
///
/// hyper drops the task of a stream when it has the end of the response. A stream without a task
/// can be reset only together with its connection. A small response need not wait.
const HTTP2_UNSENT_BYTES_AT_END: usize = 16 << 10;

/// A response body that reports to its stream what it hands over.
#[derive(Debug)]
pub(crate) struct ResponseBody<B> {
    body: B,
    stream: OpenStream,
    /// The rest of a chunk that is handed over in several parts.
    rest: Bytes,
    /// The last part, which is held back until enough of the earlier ones is written.
    end: Option<End>,
    /// Whether the stream knows that the client has something to read.
    ready: bool,
    limits: Limits,
}

#[derive(Debug)]
enum End {
    Trailers(Box<HeaderMap>),
    Nothing,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    piece: usize,
    unsent_at_end: usize,
}

impl<B: ResponseContent> ResponseBody<B> {
    pub(crate) fn new(body: B, stream: OpenStream, http2: bool) -> Self {
        let limits = match http2 {
            true => Limits {
                piece: HTTP2_PIECE_BYTES,
                unsent_at_end: HTTP2_UNSENT_BYTES_AT_END,
            },
            false => Limits {
                piece: usize::MAX,
                unsent_at_end: usize::MAX,
            },
        };
        Self {
            body,
            stream,
            rest: Bytes::new(),
            end: None,
            ready: true,
            limits,
        }
    }

    /// Ready with a comment to send, which shows whether the client is still connected.
    fn poll_hangup_probe(&self) -> Poll<Bytes> {
        match self.body.comment() {
            Some(comment) if self.stream.take_hangup_suspicion() => Poll::Ready(comment),
            _ => Poll::Pending,
        }
    }

    fn hand_over(&mut self, mut data: Bytes) -> Frame<TrackedBytes> {
        if data.len() > self.limits.piece {
            self.rest = data.split_off(self.limits.piece);
        }
        self.ready = true;
        let last = self.rest.is_empty() && self.body.is_end_stream();
        let unsent = self.limits.unsent_at_end;
        let ended = self.stream.hand_over(data.len(), last, unsent);
        if last && !ended {
            self.end = Some(End::Nothing);
        }
        let stream = self.stream.handle().clone();
        Frame::data(TrackedBytes::new(data, stream))
    }
}

impl<B: ResponseContent> Body for ResponseBody<B> {
    type Data = TrackedBytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<TrackedBytes>, B::Error>>> {
        if !self.rest.is_empty() {
            let rest = mem::take(&mut self.rest);
            return Poll::Ready(Some(Ok(self.hand_over(rest))));
        }
        if self.end.is_none() {
            let frame = match Pin::new(&mut self.body).poll_frame(context)? {
                Poll::Ready(frame) => frame,
                Poll::Pending => match self.poll_hangup_probe() {
                    Poll::Ready(comment) => Some(Frame::data(comment)),
                    Poll::Pending => {
                        if mem::take(&mut self.ready) {
                            self.stream.compute();
                        }
                        return Poll::Pending;
                    }
                },
            };
            let trailers = match frame.map(Frame::into_data) {
                Some(Ok(data)) => return Poll::Ready(Some(Ok(self.hand_over(data)))),
                Some(Err(frame)) => frame.into_trailers().ok(),
                None => None,
            };
            let trailers = trailers.map(|trailers| End::Trailers(Box::new(trailers)));
            self.end = Some(trailers.unwrap_or(End::Nothing));
        }
        ready!(self.stream.poll_sent(self.limits.unsent_at_end, context));
        match self.end.replace(End::Nothing) {
            Some(End::Trailers(trailers)) => Poll::Ready(Some(Ok(Frame::trailers(*trailers)))),
            _ => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.end.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let hint = self.body.size_hint();
        let mut total = SizeHint::new();
        total.set_lower(hint.lower().saturating_add(rest));
        if let Some(upper) = hint.upper() {
            total.set_upper(upper.saturating_add(rest));
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use bytes::Buf;
    use http::Version;
    use http_body_util::{BodyExt, Either, Full, StreamBody};
    use tokio::time::timeout;

    use super::*;
    use crate::server::connection_state::ConnectionState;

    fn body<B>(body: B, http2: bool) -> ResponseBody<Either<B, Full<Bytes>>>
    where
        Either<B, Full<Bytes>>: ResponseContent,
    {
        let stream = ConnectionState::new().open(Version::HTTP_2);
        ResponseBody::new(Either::Left(body), stream, http2)
    }

    #[tokio::test]
    async fn large_chunks_are_split_for_http2() {
        let bytes: Bytes = (0..=255).cycle().take(3 * HTTP2_PIECE_BYTES + 1).collect();
        for (http2, pieces) in [(false, 1), (true, 4)] {
            let mut body = body(Full::new(bytes.clone()), http2);
            let (mut seen, mut count) = (Vec::new(), 0);
            while !body.is_end_stream() {
                let left = (bytes.len() - seen.len()) as u64;
                assert_eq!(body.size_hint().exact(), Some(left));
                let mut data = body.frame().await.unwrap().unwrap().into_data().unwrap();
                seen.extend_from_slice(data.chunk());
                data.advance(data.remaining());
                count += 1;
            }
            assert_eq!((seen.len(), count), (bytes.len(), pieces));
            assert_eq!(seen, bytes);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn end_of_a_response_waits_until_little_is_unsent() {
        let trailers = || HeaderMap::from_iter([("a".parse().unwrap(), "b".parse().unwrap())]);
        for with_trailers in [false, true] {
            for (bytes, waits) in [(1000, false), (16 << 10, false), (17 << 10, true)] {
                let mut frames = vec![Ok::<_, Infallible>(Frame::data(Bytes::from(vec![
                    0;
                    bytes
                ])))];
                if with_trailers {
                    frames.push(Ok(Frame::trailers(trailers())));
                }
                let stream = futures_util::stream::iter(frames);
                let mut body = body(StreamBody::new(stream), true);
                let mut data = body.frame().await.unwrap().unwrap().into_data().unwrap();
                let end = timeout(Duration::from_secs(60), body.frame()).await;
                assert_eq!(end.is_err(), waits, "{bytes}");
                let end = match end {
                    Ok(end) => end,
                    Err(_) => {
                        data.advance(2 << 10);
                        timeout(Duration::from_secs(60), body.frame())
                            .await
                            .unwrap()
                    }
                };
                let end = end.map(|end| end.unwrap().into_trailers().unwrap());
                assert_eq!(end, with_trailers.then(trailers));
            }
        }
    }
}
