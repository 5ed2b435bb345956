use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HOST, TRANSFER_ENCODING,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Version};

use crate::kserve::HEADER_LENGTH;

use super::HttpError;

pub(super) static HEADER_LENGTH_NAME: HeaderName = HeaderName::from_static(HEADER_LENGTH);

/// The headers that describe the body of an inference request and of its response. The first value
/// of each name counts.
#[derive(Debug, Default)]
pub(super) struct BodyHeaders<'a> {
    pub(super) content_length: Option<&'a HeaderValue>,
    pub(super) content_encoding: Option<&'a HeaderValue>,
    pub(super) accept_encoding: Option<&'a HeaderValue>,
    /// The length of the JSON before binary data.
    pub(super) json_length: Option<&'a HeaderValue>,
}

impl<'a> BodyHeaders<'a> {
    /// Finds all of them in one pass.
    pub(super) fn of(headers: &'a HeaderMap) -> Self {
        let mut found = Self::default();
        for (name, value) in headers {
            let member = if name == CONTENT_LENGTH {
                &mut found.content_length
            } else if name == CONTENT_ENCODING {
                &mut found.content_encoding
            } else if name == ACCEPT_ENCODING {
                &mut found.accept_encoding
            } else if name == HEADER_LENGTH_NAME {
                &mut found.json_length
            } else {
                continue;
            };
            member.get_or_insert(value);
        }
        found
    }
}

/// Refuses heads that HTTP/1.1 forbids but the parser accepts. Returns the host of an HTTP/1.1
/// request.
///
/// # Errors
///
/// Returns [`HttpError::Host`] or [`HttpError::TransferEncoding`].
pub(crate) fn check_head(
    version: Version,
    headers: &HeaderMap,
) -> Result<Option<&HeaderValue>, HttpError> {
    if version != Version::HTTP_11 {
        return Ok(None);
    }
    let (mut host, mut hosts) = (None, 0);
    let (mut encoding, mut encodings) = (None, 0);
    for (name, value) in headers {
        if name == HOST {
            host = Some(value);
            hosts += 1;
        } else if name == TRANSFER_ENCODING {
            encoding.get_or_insert(value);
            encodings += 1;
        }
    }
    if hosts != 1 {
        return Err(HttpError::Host { count: hosts });
    }
    match encoding.map(HeaderValue::as_bytes) {
        None => Ok(host),
        Some(only) if encodings == 1 && only.eq_ignore_ascii_case(b"chunked") => Ok(host),
        Some(first) => Err(HttpError::TransferEncoding {
            found: String::from_utf8_lossy(first).into_owned(),
        }),
    }
}

/// Returns the first value of a header. A linear search is faster than hashing for the few headers
/// of a request.
pub(super) fn value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut headers = headers.iter();
    headers.find_map(|(other, value)| (other == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_http_forbids_is_refused() {
        let host = ("host", "x");
        let encoded = |found: &str| {
            let found = found.to_owned();
            Err(HttpError::TransferEncoding { found })
        };
        let table: [(&[(&str, &str)], _); 7] = [
            (&[], Err(HttpError::Host { count: 0 })),
            (&[host], Ok(())),
            (&[("host", "")], Ok(())),
            (&[host, host], Err(HttpError::Host { count: 2 })),
            (&[host, ("transfer-encoding", "Chunked")], Ok(())),
            (
                &[host, ("transfer-encoding", "gzip, chunked")],
                encoded("gzip, chunked"),
            ),
            (
                &[
                    host,
                    ("transfer-encoding", "gzip"),
                    ("transfer-encoding", "chunked"),
                ],
                encoded("gzip"),
            ),
        ];
        for (pairs, expected) in table {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
                headers.append(name, HeaderValue::from_str(value).unwrap());
            }
            let checked = check_head(Version::HTTP_11, &headers);
            assert_eq!(checked, expected.map(|()| headers.get(HOST)), "{pairs:?}");
        }
        for version in [Version::HTTP_10, Version::HTTP_2] {
            assert_eq!(check_head(version, &HeaderMap::new()), Ok(None));
        }
    }

    #[test]
    fn the_first_value_of_each_body_header_counts() {
        let pairs = [
            ("content-length", "5"),
            ("host", "x"),
            ("accept-encoding", "gzip"),
            ("inference-header-content-length", "3"),
            ("content-encoding", "deflate"),
            ("accept-encoding", "br"),
            ("inference-header-content-length", "4"),
        ];
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_static(value));
        }
        let found = BodyHeaders::of(&headers);
        let text =
            |value: Option<&HeaderValue>| value.map(|value| value.to_str().unwrap().to_owned());
        let found = [
            found.content_length,
            found.content_encoding,
            found.accept_encoding,
            found.json_length,
        ];
        assert_eq!(
            found.map(text),
            ["5", "deflate", "gzip", "3"].map(|value| Some(value.to_owned()))
        );
    }
}
