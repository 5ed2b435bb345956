use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use bytes::Bytes;
use http_body_util::BodyExt;

use crate::tensor::AlignedBuffer;

use super::HttpError;

/// Reads a body of at most `limit` bytes.
///
/// Where `aligned_at` is given, the byte at that place is aligned for every element type, so that the binary tensors
/// behind it can be viewed without a copy. A body that comes in one piece and need not be aligned is not copied at all.
pub(super) async fn read(
    body: Body,
    headers: &HeaderMap,
    limit: usize,
    aligned_at: Option<usize>,
) -> Result<Bytes, HttpError> {
    let announced = announced(headers, limit)?;
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
async fn read_aligned(mut body: Body, length: usize, at: usize) -> Result<Bytes, HttpError> {
    let mut buffer = AlignedBuffer::with_capacity(length, at);
    while let Some(data) = next(&mut body).await? {
        if data.len() > length - buffer.len() {
            return Err(HttpError::BodyTooLarge { limit: length });
        }
        buffer.extend_from_slice(&data);
    }
    Ok(buffer.freeze())
}

async fn read_any(mut body: Body, length: usize, limit: usize) -> Result<Bytes, HttpError> {
    let too_large = || HttpError::BodyTooLarge { limit };
    let first = next(&mut body).await?.unwrap_or_default();
    if first.len() > limit {
        return Err(too_large());
    }
    let Some(second) = next(&mut body).await? else {
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
        match next(&mut body).await? {
            Some(next) => data = next,
            None => return Ok(Bytes::from(bytes)),
        }
    }
}

/// The next piece of the body that is not empty.
async fn next(body: &mut Body) -> Result<Option<Bytes>, HttpError> {
    while let Some(frame) = body.frame().await {
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
        read(body, &headers, limit, at).await
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
