use axum::http::header::{HOST, TRANSFER_ENCODING};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Version};

use super::HttpError;

/// Refuses heads that HTTP/1.1 forbids but the parser accepts.
///
/// # Errors
///
/// Returns [`HttpError::Host`] or [`HttpError::TransferEncoding`].
pub(crate) fn check_head(version: Version, headers: &HeaderMap) -> Result<(), HttpError> {
    if version != Version::HTTP_11 {
        return Ok(());
    }
    let count = values(headers, &HOST).count();
    if count != 1 {
        return Err(HttpError::Host { count });
    }
    let mut encodings = values(headers, &TRANSFER_ENCODING);
    match (encodings.next(), encodings.next()) {
        (None, _) => Ok(()),
        (Some(only), None) if only.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        (Some(first), _) => Err(HttpError::TransferEncoding {
            found: String::from_utf8_lossy(first.as_bytes()).into_owned(),
        }),
    }
}

/// Returns the first value of a header.
pub(super) fn value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    values(headers, name).next()
}

/// Returns all values of a header. A linear search is faster than hashing for the few headers of a
/// request.
fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a HeaderValue> {
    let headers = headers.iter();
    headers.filter_map(move |(other, value)| (other == name).then_some(value))
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
            assert_eq!(
                check_head(Version::HTTP_11, &headers),
                expected,
                "{pairs:?}"
            );
        }
        for version in [Version::HTTP_10, Version::HTTP_2] {
            assert_eq!(check_head(version, &HeaderMap::new()), Ok(()));
        }
    }
}
