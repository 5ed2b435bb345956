use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use tokio::time::timeout;

use crate::Limits;
use crate::tensor::AlignedBuffer;

use super::HttpError;

/// Reads a body within the limits of its size and of the time between its pieces.
///
/// Where `aligned_at` is given, the byte at that place is aligned for every element type, so that the binary tensors
/// behind it can be viewed without a copy. A body that comes in one piece and need not be aligned is not copied at all.
pub(super) async fn read(
    body: Body,
    headers: &HeaderMap,
    limits: &Limits,
    aligned_at: Option<usize>,
) -> Result<Bytes, HttpError> {
    let limit = limits.max_request_bytes;
    let announced = announced(headers, limit)?;
    let body = Pieces {
        body,
        timeout: limits.body_timeout,
    };
    match (announced, aligned_at) {
        (Some(length), Some(at)) => read_aligned(body, length, at).await,
        (_, Some(at)) => Ok(aligned(&read_any(body, 0, limit).await?, at)),
        (length, None) => read_any(body, length.unwrap_or(0), limit).await,
    }
}

/// Copies bytes so that the one at `at` is aligned for every element type.
pub(super) fn aligned(bytes: &[u8], at: usize) -> Bytes {
    let mut buffer = AlignedBuffer::with_capacity(bytes.len(), at);
    buffer.extend_from_slice(bytes);
    buffer.freeze()
}

fn announced(headers: &HeaderMap, limit: usize) -> Result<Option<usize>, HttpError> {
    let Some(value) = headers.get(CONTENT_LENGTH) else {
        return Ok(None);
    };
    let length: Option<u64> = value.to_str().ok().and_then(|value| value.parse().ok());
    match length.map(|length| (length, usize::try_from(length))) {
        Some((_, Ok(length))) if length <= limit => Ok(Some(length)),
        Some((length, _)) => Err(HttpError::BodySize { length, limit }),
        None => Ok(None),
    }
}

/// Reads a body of a known length straight to where it has to stand.
async fn read_aligned(mut body: Pieces, length: usize, at: usize) -> Result<Bytes, HttpError> {
    let mut buffer = AlignedBuffer::with_capacity(length, at);
    while let Some(data) = body.next().await? {
        if data.len() > length - buffer.len() {
            return Err(HttpError::BodyTooLarge { limit: length });
        }
        buffer.extend_from_slice(&data);
    }
    Ok(buffer.freeze())
}

async fn read_any(mut body: Pieces, length: usize, limit: usize) -> Result<Bytes, HttpError> {
    let too_large = || HttpError::BodyTooLarge { limit };
    let first = body.next().await?.unwrap_or_default();
    if first.len() > limit {
        return Err(too_large());
    }
    let Some(second) = body.next().await? else {
        return Ok(first);
    };
    let mut bytes = Vec::with_capacity(length.max(first.len() + second.len()).min(limit));
    bytes.extend_from_slice(&first);
    let mut data = second;
    loop {
        if data.len() > limit - bytes.len() {
            return Err(too_large());
        }
        bytes.extend_from_slice(&data);
        match body.next().await? {
            Some(next) => data = next,
            None => return Ok(Bytes::from(bytes)),
        }
    }
}

/// A body that is read piece by piece, none of which is waited for too long.
struct Pieces {
    body: Body,
    timeout: Duration,
}

impl Pieces {
    /// The next piece of the body that is not empty.
    async fn next(&mut self) -> Result<Option<Bytes>, HttpError> {
        while let Some(frame) = self.frame().await? {
            let frame = frame.map_err(|error| HttpError::BodyRead {
                message: error.to_string(),
            })?;
            match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(Some(data)),
                _ => {}
            }
        }
        Ok(None)
    }

    async fn frame(&mut self) -> Result<Option<Result<Frame<Bytes>, axum::Error>>, HttpError> {
        timeout(self.timeout, self.body.frame())
            .await
            .map_err(|_| HttpError::BodyStalled {
                seconds: self.timeout.as_secs(),
            })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

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
        let parts = parts.iter().map(|part| Bytes::from_static(part));
        let body = super::super::answer::parts(HeaderMap::new(), parts).into_body();
        let limits = Limits {
            max_request_bytes: limit,
            ..Limits::default()
        };
        read(body, &headers, &limits, at).await
    }

    #[tokio::test]
    async fn the_place_asked_for_is_aligned() {
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
    async fn one_piece_is_not_copied() {
        const PIECES: &[&[u8]] = &[b"abc"];
        let body = read_parts(PIECES, None, 3, None).await.unwrap();
        assert_eq!(body.as_ptr(), PIECES[0].as_ptr());
        assert_eq!(read_parts(&[], Some(0), 3, None).await.unwrap(), "");
    }

    #[tokio::test]
    async fn no_more_than_the_limit_is_read() {
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
}
