use http::header::{HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue, Version};

use crate::Refusal;

/// Refuses heads that HTTP/1.1 forbids but the parser accepts. Returns the host of an HTTP/1.1
/// request.
///
/// # Errors
///
/// Returns [`Refusal::Host`] or [`Refusal::TransferEncoding`].
#[inline]
pub fn check_head(version: Version, headers: &HeaderMap) -> Result<Option<&HeaderValue>, Refusal> {
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
        return Err(Refusal::Host { count: hosts });
    }
    match encoding.map(HeaderValue::as_bytes) {
        None => Ok(host),
        Some(only) if encodings == 1 && only.eq_ignore_ascii_case(b"chunked") => Ok(host),
        Some(first) => Err(Refusal::TransferEncoding {
            found: String::from_utf8_lossy(first).into_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    #[test]
    fn invalid_request_heads_are_refused() {
        let host = ("host", "x");
        let encoded = |found: &str| {
            let found = found.to_owned();
            Err(Refusal::TransferEncoding { found })
        };
        let table: [(&[(&str, &str)], _); 7] = [
            (&[], Err(Refusal::Host { count: 0 })),
            (&[host], Ok(())),
            (&[("host", "")], Ok(())),
            (&[host, host], Err(Refusal::Host { count: 2 })),
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
}
