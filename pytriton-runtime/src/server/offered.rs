use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use super::door::Answered;
use super::traffic::Passage;

/// Of larger pieces HTTP/2 would not show how much the client has taken.
const PIECE: usize = 64 << 10;

/// The body of an answer, which says how its client takes it.
#[derive(Debug)]
pub(super) struct Offered {
    body: Answered,
    passage: Passage,
    /// What is left of a piece that is handed over in several.
    rest: Bytes,
    largest: usize,
}

impl Offered {
    pub(super) fn new(body: Answered, passage: Passage, http2: bool) -> Self {
        Self {
            body,
            passage,
            rest: Bytes::new(),
            largest: if http2 { PIECE } else { usize::MAX },
        }
    }

    /// Ready with something to send where that tells whether the client is still there.
    fn poll_doubt(&self) -> Poll<Bytes> {
        match self.body.comment() {
            Some(comment) if self.passage.doubted() => Poll::Ready(comment),
            _ => Poll::Pending,
        }
    }

    fn cut(&mut self, mut data: Bytes) -> Frame<Bytes> {
        if data.len() > self.largest {
            self.rest = data.split_off(self.largest);
        }
        Frame::data(data)
    }
}

impl HttpBody for Offered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.passage.offer(false);
        let frame = if self.rest.is_empty() {
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(frame) => frame,
                Poll::Pending => Some(Ok(Frame::data(ready!(self.poll_doubt())))),
            };
            frame.map(|frame| match frame?.into_data() {
                Ok(data) => Ok(self.cut(data)),
                Err(frame) => Ok(frame),
            })
        } else {
            let rest = std::mem::take(&mut self.rest);
            Some(Ok(self.cut(rest)))
        };
        // What is handed over as a whole over HTTP/1.1 is dropped at once, which is noted too.
        if self.largest < usize::MAX || !self.is_end_stream() {
            self.passage.offer(true);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let hint = self.body.size_hint();
        let mut whole = SizeHint::new();
        whole.set_lower(hint.lower().saturating_add(rest));
        if let Some(upper) = hint.upper() {
            whole.set_upper(upper.saturating_add(rest));
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Version;
    use http_body_util::BodyExt;

    use super::super::traffic::Traffic;
    use super::*;

    #[tokio::test]
    async fn large_pieces_are_cut_for_http2_and_nothing_is_lost() {
        let bytes: Bytes = (0..=255).cycle().take(3 * PIECE + 1).collect();
        for (http2, pieces) in [(false, 1), (true, 4)] {
            let traffic = Traffic::new();
            let mut body = Offered::new(
                Answered::Routed(bytes.clone().into()),
                traffic.enter(Version::HTTP_2),
                http2,
            );
            let (mut seen, mut count) = (Vec::new(), 0);
            while !body.is_end_stream() {
                let left = (bytes.len() - seen.len()) as u64;
                assert_eq!(body.size_hint().exact(), Some(left));
                let data = body.frame().await.unwrap().unwrap().into_data().unwrap();
                seen.extend_from_slice(&data);
                count += 1;
            }
            assert_eq!((seen.len(), count), (bytes.len(), pieces));
            assert_eq!(seen, bytes);
        }
    }
}
