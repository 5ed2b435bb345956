use std::fmt::Display;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use axum::body::HttpBody;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::FutureExt;
use hyper::body::Frame;
use pytriton_core::body_buffer::BodyBuffer;
use pytriton_core::received_body::ReceivedBody;
use pytriton_net::BodyTimeout;

use crate::service::{AppState, Error};

use super::HttpError;
use super::head::value;

/// The largest body that is read only to be discarded, and the largest that is read without a check
/// of the budget in advance.
const SMALL_BODY_BYTES: usize = 64 << 10;

/// The body of a request while it arrives.
pub(crate) trait Body: HttpBody<Data = Bytes, Error: Display> + Send + Unpin {}

impl<B: HttpBody<Data = Bytes, Error: Display> + Send + Unpin> Body for B {}

/// Reads a body within the limits on its size and duration, and reserves its memory.
///
/// If `aligned_at` is given, the byte at this offset is aligned for every element type, so that
/// binary tensors after it need not be copied. A body that arrives in one chunk and needs no
/// alignment is not copied.
pub(super) async fn read<B: Body>(
    body: B,
    headers: &HeaderMap,
    app_state: &AppState,
    aligned_at: Option<usize>,
) -> Result<ReceivedBody, HttpError> {
    let length = value(headers, &CONTENT_LENGTH);
    read_announced(body, length, app_state, aligned_at).await
}

/// As [`read`], with the value of `Content-Length`.
pub(super) async fn read_announced<B: Body>(
    body: B,
    length: Option<&HeaderValue>,
    app_state: &AppState,
    aligned_at: Option<usize>,
) -> Result<ReceivedBody, HttpError> {
    let limit = app_state.limits.max_request_bytes;
    let announced = announced(length, limit)?;
    let mut permit = app_state.models.budget().empty_permit();
    if let Some(length) = announced.filter(|length| *length > SMALL_BODY_BYTES) {
        // Refuse early what does not fit now. The memory is reserved as it arrives.
        permit.check(length).map_err(Error::from)?;
    }
    let limit = announced.unwrap_or(limit);
    let mut body = Pieces {
        body,
        app_state,
        timeout: None,
        left: limit,
        limit,
    };
    let first = body.next().await?.unwrap_or_default();
    let mut buffer = if aligned_at.is_none() {
        permit.grow(first.len()).map_err(Error::from)?;
        let Some(second) = body.next().await? else {
            let body = ReceivedBody::new(first, permit).map_err(Error::from)?;
            return Ok(body);
        };
        let mut buffer = BodyBuffer::new(permit.sibling(), limit, None);
        buffer.push(&first).map_err(Error::from)?;
        permit.release();
        buffer.push(&second).map_err(Error::from)?;
        buffer
    } else {
        let mut buffer = BodyBuffer::new(permit, limit, aligned_at);
        buffer.push(&first).map_err(Error::from)?;
        buffer
    };
    drop(first);
    while let Some(data) = body.next().await? {
        buffer.push(&data).map_err(Error::from)?;
    }
    Ok(buffer.finish())
}

/// Reads and discards a small body that the client sends without waiting for `100 Continue`. If the
/// connection closes while the client still writes, the client may lose the response, and hyper
/// closes a connection with an unread body.
pub(super) async fn discard<B: Body>(body: B, headers: &HeaderMap, app_state: &AppState) {
    let length = value(headers, &CONTENT_LENGTH);
    let small = announced(length, SMALL_BODY_BYTES).is_ok_and(|length| length.is_some());
    if small && !headers.contains_key(EXPECT) {
        // The client receives another error, so errors of the body do not matter.
        let _ = read_announced(body, length, app_state, None).await;
    }
}

fn announced(length: Option<&HeaderValue>, limit: usize) -> Result<Option<usize>, HttpError> {
    let Some(value) = length else {
        return Ok(None);
    };
    let length: Option<u64> = value.to_str().ok().and_then(|value| value.parse().ok());
    match length.map(|length| (length, usize::try_from(length))) {
        Some((_, Ok(length))) if length <= limit => Ok(Some(length)),
        Some((length, _)) => Err(HttpError::BodySize { length, limit }),
        None => Ok(None),
    }
}

/// A body that is read chunk by chunk, with a time limit.
struct Pieces<'a, B> {
    body: B,
    app_state: &'a AppState,
    /// `None` until a chunk has to be waited for.
    timeout: Option<BodyTimeout>,
    /// The maximum length in bytes, and the remaining part of it.
    limit: usize,
    left: usize,
}

impl<B: Body> Pieces<'_, B> {
    /// Returns the next non-empty chunk.
    async fn next(&mut self) -> Result<Option<Bytes>, HttpError> {
        while !self.body.is_end_stream()
            && let Some(frame) = self.frame().await?
        {
            let frame = frame.map_err(|error| HttpError::BodyRead {
                message: error.to_string(),
            })?;
            match frame.into_data() {
                Ok(data) if !data.is_empty() => {
                    let limit = self.limit;
                    let left = self.left.checked_sub(data.len());
                    self.left = left.ok_or(HttpError::BodyTooLarge { limit })?;
                    return Ok(Some(data));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    async fn frame(&mut self) -> Result<Option<Result<Frame<Bytes>, B::Error>>, HttpError> {
        let frame = poll_fn(
            |context| match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(frame) => Poll::Ready(Ok(frame)),
                Poll::Pending => {
                    let models = &self.app_state.models;
                    self.timeout()
                        .poll_expired(context, || models.stopping().boxed())
                        .map(Err)
                }
            },
        )
        .await?;
        if let Some(timeout) = &mut self.timeout {
            let data = frame
                .as_ref()
                .and_then(|frame| frame.as_ref().ok()?.data_ref());
            timeout.receive(data.map_or(0, Bytes::len));
        }
        Ok(frame)
    }

    fn timeout(&mut self) -> &mut BodyTimeout {
        let received = self.limit - self.left;
        self.timeout.get_or_insert_with(|| {
            let mut timeout = BodyTimeout::new(self.app_state.limits.connections.min_rate());
            timeout.receive(received);
            timeout
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use futures_util::stream::unfold;
    use pytriton_core::tracked_bytes::TrackedBytes;
    use pytriton_engine::Limits;
    use pytriton_net::{BodyError, ConnectionLimits};
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::testing;

    /// Creates a server without models.
    async fn app_state(max_request_bytes: usize) -> AppState {
        let limits = Limits {
            max_request_bytes,
            connections: ConnectionLimits {
                min_body_rate: 1,
                ..ConnectionLimits::default()
            },
            ..Limits::default()
        };
        testing::app_state(&[], limits).await
    }

    async fn read_parts(
        parts: &'static [&[u8]],
        announced: Option<u64>,
        limit: usize,
        at: Option<usize>,
    ) -> Result<Bytes, HttpError> {
        let mut headers = HeaderMap::new();
        if let Some(length) = announced {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        let parts = parts.iter().map(|part| TrackedBytes::from_static(part));
        let first = TrackedBytes::default();
        let body = super::super::response::parts(HeaderMap::new(), first, parts.collect());
        let body = body.into_body();
        let read = read(body, &headers, &app_state(limit).await, at).await;
        read.map(|body| body.into_tracked().into_bytes())
    }

    #[tokio::test]
    async fn requested_offset_is_aligned() {
        for at in 0..9 {
            for announced in [None, Some(12)] {
                let body = read_parts(&[b"ab", b"", b"cdefghijkl"], announced, 64, Some(at))
                    .await
                    .unwrap();
                assert_eq!(body, "abcdefghijkl");
                assert_eq!(body[at..].as_ptr().align_offset(8), 0);
            }
        }
    }

    #[tokio::test]
    async fn body_beyond_the_budget_is_refused_before_it_arrives() {
        let length = 3 * SMALL_BODY_BYTES + 1;
        let app_state = in_flight(4 * SMALL_BODY_BYTES).await;
        let budget = app_state.models.budget();
        let _some = budget.reserve(SMALL_BODY_BYTES).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        let body = dripping(Duration::from_secs(1000));
        let refused = read(body, &headers, &app_state, Some(1)).await;
        let Err(HttpError::Service(Error::Budget(error))) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((error.bytes, budget.reserved()), (length, SMALL_BODY_BYTES));
    }

    async fn in_flight(max_bytes_in_flight: usize) -> AppState {
        let limits = Limits {
            max_bytes_in_flight,
            max_request_bytes: usize::MAX,
            ..Limits::default()
        };
        testing::app_state(&[], limits).await
    }

    #[tokio::test(start_paused = true)]
    async fn announced_body_is_reserved_as_it_arrives() {
        let app_state = in_flight(1 << 30).await;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(1 << 29));
        let arrives = || {
            let piece = Bytes::from(vec![7; SMALL_BODY_BYTES]);
            axum::body::Body::from_stream(unfold(0, move |number| {
                let piece = piece.clone();
                async move {
                    if number == 8 {
                        sleep(Duration::from_secs(1000)).await;
                    }
                    Some((Ok::<_, std::io::Error>(piece), number + 1))
                }
            }))
        };
        for at in [None, Some(1)] {
            let body = arrives();
            let mut read = Box::pin(read(body, &headers, &app_state, at));
            let waits = sleep(Duration::from_secs(1));
            tokio::select! {
                biased;
                _ = &mut read => panic!("the body is not complete"),
                () = waits => {}
            }
            let reserved = app_state.models.budget().reserved();
            assert!(
                (8 * SMALL_BODY_BYTES..=32 * SMALL_BODY_BYTES).contains(&reserved),
                "{reserved}"
            );
            drop(read);
            assert_eq!(app_state.models.budget().reserved(), 0);
        }
    }

    #[tokio::test]
    async fn a_small_body_is_read_when_the_budget_is_full() {
        let app_state = in_flight(4 * SMALL_BODY_BYTES).await;
        let _full = app_state
            .models
            .budget()
            .reserve(4 * SMALL_BODY_BYTES)
            .unwrap();
        for at in [None, Some(1)] {
            let body = axum::body::Body::from("small");
            let body = read(body, &HeaderMap::new(), &app_state, at).await.unwrap();
            assert_eq!(&body[..], b"small");
        }
    }

    #[tokio::test]
    async fn single_chunk_is_not_copied() {
        const PIECES: &[&[u8]] = &[b"abc"];
        let body = read_parts(PIECES, None, 3, None).await.unwrap();
        assert_eq!(body.as_ptr(), PIECES[0].as_ptr());
        assert_eq!(read_parts(&[], Some(0), 3, None).await.unwrap(), "");
    }

    #[tokio::test]
    async fn body_beyond_the_limit_is_refused() {
        let announced = HttpError::BodySize {
            length: 4,
            limit: 3,
        };
        let found = HttpError::BodyTooLarge { limit: 3 };
        for at in [None, Some(1)] {
            assert_eq!(
                read_parts(&[b"abcd"], Some(4), 3, at).await,
                Err(announced.clone())
            );
            assert_eq!(
                read_parts(&[b"abcd"], None, 3, at).await,
                Err(found.clone())
            );
            assert_eq!(
                read_parts(&[b"ab", b"cd"], None, 3, at).await,
                Err(found.clone())
            );
            assert_eq!(
                read_parts(&[b"ab", b"c"], None, 3, at).await.unwrap(),
                "abc"
            );
        }
        assert_eq!(
            read_parts(&[b"ab", b"cd"], Some(3), 9, Some(1)).await,
            Err(found)
        );
    }

    /// An endless body that arrives one byte at a time, at regular intervals.
    fn dripping(pause: Duration) -> axum::body::Body {
        axum::body::Body::from_stream(unfold((), move |()| async move {
            sleep(pause).await;
            Some((Ok::<_, std::io::Error>(Bytes::from_static(b"a")), ()))
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn body_must_arrive_completely_in_time() {
        let app_state = app_state(1 << 20).await;
        let table = [
            (19_000, BodyError::Slow { rate: 1 }, 21),
            (2_000, BodyError::Slow { rate: 1 }, 39),
            (30_000, BodyError::Stalled { seconds: 20 }, 20),
        ];
        for (pause, expected, seconds) in table {
            let body = dripping(Duration::from_millis(pause));
            let begun = Instant::now();
            let error = read(body, &HeaderMap::new(), &app_state, None).await;
            assert_eq!(error.unwrap_err(), HttpError::Body(expected), "{pause}");
            assert_eq!(begun.elapsed().as_secs(), seconds, "{pause}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn stopping_server_waits_only_for_arriving_bodies() {
        let app_state = app_state(30).await;
        let models = Arc::clone(&app_state.models);
        tokio::spawn(async move {
            sleep(Duration::from_millis(500)).await;
            models.stop_being_ready();
        });
        let begun = Instant::now();
        let (coming, still) = (Duration::from_millis(400), Duration::from_secs(10));
        let headers = HeaderMap::new();
        let (coming, still) =
            tokio::join!(read(dripping(coming), &headers, &app_state, None), async {
                let error = read(dripping(still), &headers, &app_state, None).await;
                (error, begun.elapsed())
            });
        assert_eq!(coming.unwrap_err(), HttpError::BodyTooLarge { limit: 30 });
        assert_eq!(still.0.unwrap_err(), HttpError::Body(BodyError::Stopping));
        assert_eq!(still.1.as_millis(), 2500);
    }
}
