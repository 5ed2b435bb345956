use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use pytriton_kserve::HEADER_LENGTH;

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
    fn first_value_of_each_body_header_is_used() {
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
