use std::io::{Read, Write};

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use bytes::Bytes;
use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::Limits;

use super::HttpError;
use super::head::value;

/// How a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Gzip, Self::Deflate]
            .into_iter()
            .find(|encoding| encoding.name() == name)
    }

    /// How the body of a request is compressed; `None` for not at all.
    pub(super) fn of_request(headers: &HeaderMap) -> Result<Option<Self>, HttpError> {
        let Some(value) = value(headers, &CONTENT_ENCODING) else {
            return Ok(None);
        };
        match value.to_str().unwrap_or("unreadable") {
            "" | "identity" => Ok(None),
            name => Self::named(name)
                .map(Some)
                .ok_or(HttpError::ContentEncoding),
        }
    }

    /// How the client likes best to have its response: the first of those with the largest weight.
    ///
    /// Source: `CompressionTypeUsed` in Triton 2.51.
    pub(super) fn of_response(headers: &HeaderMap) -> Option<Self> {
        let accepted = value(headers, &ACCEPT_ENCODING)?.to_str().ok()?;
        let mut best = (None, 0.0);
        for entry in accepted.split(',') {
            let (name, weight) = match entry.split_once(";q=") {
                Some((name, weight)) => (name.trim(), weight.trim().parse().unwrap_or(0.0)),
                None => (entry.trim(), 1.0),
            };
            let encoding = Self::named(name);
            if weight > best.1 && (encoding.is_some() || name == "identity") {
                best = (encoding, weight);
            }
        }
        best.0
    }

    pub(super) fn compress(self, parts: impl Iterator<Item = Bytes>) -> std::io::Result<Bytes> {
        let level = Compression::default();
        let bytes = match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                for part in parts {
                    encoder.write_all(&part)?;
                }
                encoder.finish()?
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), level);
                for part in parts {
                    encoder.write_all(&part)?;
                }
                encoder.finish()?
            }
        };
        Ok(Bytes::from(bytes))
    }
}

/// Decompresses a body, whichever of the two encodings it has: as Triton does, by its first bytes.
pub(super) fn decompress(body: &[u8], limits: &Limits) -> Result<Vec<u8>, HttpError> {
    const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

    if body.is_empty() {
        return Err(HttpError::NothingToDecompress);
    }
    let limit = limits.max_request_bytes;
    if body.starts_with(GZIP_MAGIC) {
        read_limited(MultiGzDecoder::new(body), limit)
    } else {
        read_limited(ZlibDecoder::new(body), limit)
    }
}

fn read_limited(decoder: impl Read, limit: usize) -> Result<Vec<u8>, HttpError> {
    let mut bytes = Vec::new();
    decoder
        .take(limit as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| HttpError::Decompression {
            message: error.to_string(),
        })?;
    if bytes.len() > limit {
        return Err(HttpError::DecompressedSize { limit });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn chooses_what_the_client_likes_best() {
        let table = [
            ("gzip", Some(Encoding::Gzip)),
            ("deflate", Some(Encoding::Deflate)),
            ("gzip, deflate", Some(Encoding::Gzip)),
            ("deflate, gzip", Some(Encoding::Deflate)),
            ("gzip;q=0.5, deflate;q=0.8", Some(Encoding::Deflate)),
            ("identity, gzip", None),
            ("gzip;q=0", None),
            ("gzip;q=x", None),
            ("br", None),
            ("*", None),
            ("", None),
        ];
        for (accepted, expected) in table {
            let headers =
                HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            assert_eq!(Encoding::of_response(&headers), expected, "{accepted}");
        }
        assert_eq!(Encoding::of_response(&HeaderMap::new()), None);
    }

    #[test]
    fn what_is_compressed_reads_back() {
        let parts = || [Bytes::from_static(b"abc"), Bytes::from(vec![7; 5000])].into_iter();
        for encoding in [Encoding::Gzip, Encoding::Deflate] {
            let compressed = encoding.compress(parts()).unwrap();
            let body = decompress(&compressed, &Limits::default()).unwrap();
            assert_eq!(body, parts().flatten().collect::<Vec<_>>());
            assert!(matches!(
                decompress(&compressed[..compressed.len() - 9], &Limits::default()),
                Err(HttpError::Decompression { .. })
            ));
        }
        for junk in [&b"{}"[..], &[0x1f, 0x8b, 0]] {
            let error = decompress(junk, &Limits::default());
            assert!(matches!(error, Err(HttpError::Decompression { .. })));
        }
        assert_eq!(
            decompress(b"", &Limits::default()),
            Err(HttpError::NothingToDecompress)
        );
    }

    #[test]
    fn all_members_of_a_body_count() {
        let member = |text: &'static [u8]| {
            let parts = std::iter::once(Bytes::from_static(text));
            Encoding::Gzip.compress(parts).unwrap()
        };
        let body = [member(b"abc"), member(b""), member(b"def")].concat();
        let limits = |max_request_bytes| Limits {
            max_request_bytes,
            ..Limits::default()
        };
        assert_eq!(decompress(&body, &limits(6)).unwrap(), b"abcdef");
        let large = Err(HttpError::DecompressedSize { limit: 5 });
        assert_eq!(decompress(&body, &limits(5)), large);
    }

    #[test]
    fn a_bomb_is_not_blown_up() {
        let zeros = Bytes::from(vec![0; 8 << 20]);
        let bomb = Encoding::Gzip.compress(std::iter::once(zeros)).unwrap();
        assert_eq!(
            decompress(&bomb, &Limits::default()).map(|body| body.len()),
            Ok(8 << 20)
        );
        let limits = Limits {
            max_request_bytes: 1000,
            ..Limits::default()
        };
        assert_eq!(
            decompress(&bomb, &limits),
            Err(HttpError::DecompressedSize { limit: 1000 })
        );
    }
}
