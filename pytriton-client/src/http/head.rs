use hyper::http::{HeaderMap, HeaderName, HeaderValue};

use crate::ClientError;

/// How long the JSON of a body is, which binary tensors follow.
pub(super) static HEADER_LENGTH: HeaderName =
    HeaderName::from_static("inference-header-content-length");

/// Headers of these names and values.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, ClientError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let wrong = || {
            ClientError::inputs(format!(
                "header `{name}` has a name or value that HTTP cannot carry"
            ))
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        headers.append(name, HeaderValue::from_str(value).map_err(|_| wrong())?);
    }
    Ok(headers)
}

/// A part of a path.
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
