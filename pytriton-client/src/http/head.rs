use hyper::http::header::HOST;
use hyper::http::{HeaderMap, HeaderName, HeaderValue};

use crate::ClientError;

/// The length of the JSON header, which binary tensors follow.
pub(super) static HEADER_LENGTH: HeaderName =
    HeaderName::from_static("inference-header-content-length");

/// Creates a header map.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, ClientError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let wrong = || {
            ClientError::inputs(format!(
                "header `{name}` has a name or value that is invalid in HTTP"
            ))
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        headers.append(name, HeaderValue::from_str(value).map_err(|_| wrong())?);
    }
    Ok(headers)
}

/// Merges the headers of a request with those of all requests. The request's headers win, except
/// `host`, which may have to name the server behind a gateway.
pub(super) fn with_all(mut own: HeaderMap, all: &HeaderMap) -> HeaderMap {
    if own.is_empty() {
        return all.clone();
    }
    let host = own.remove(HOST);
    own.extend(all.clone());
    if let Some(host) = host {
        own.insert(HOST, host);
    }
    own
}

/// Percent-encodes a path segment.
pub(super) fn encoded(part: &str) -> String {
    let mut text = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte))
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_headers_override_all_but_host() {
        let map = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (*name, *value));
            let pairs: Vec<_> = pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            headers(&pairs).unwrap()
        };
        let all = map(&[("host", "server:8000"), ("triton-access-token", "a")]);
        assert_eq!(with_all(HeaderMap::new(), &all), all);
        let own = map(&[
            ("Host", "model.example"),
            ("triton-access-token", "b"),
            ("x", "1"),
        ]);
        let expected = map(&[
            ("host", "model.example"),
            ("triton-access-token", "a"),
            ("x", "1"),
        ]);
        assert_eq!(with_all(own, &all), expected);
        assert!(headers(&[("x y".to_owned(), String::new())]).is_err());
    }
}
