use std::borrow::Cow;

use pytriton_core::request::Parameters;
use pytriton_engine::trace::{TRACEPARENT, TRACESTATE, TraceContext};
use tonic::metadata::{KeyAndValueRef, MetadataMap};

use crate::service::AppState;

/// Returns the metadata of a call as headers.
fn headers(metadata: &MetadataMap) -> impl Iterator<Item = (&str, Cow<'_, [u8]>)> {
    metadata.iter().filter_map(|pair| match pair {
        KeyAndValueRef::Ascii(key, value) => Some((key.as_str(), Cow::from(value.as_bytes()))),
        KeyAndValueRef::Binary(key, value) => {
            let value = value.to_bytes().ok()?;
            Some((key.as_str(), Cow::from(Vec::from(value))))
        }
    })
}

/// Returns the metadata that becomes parameters of the requests.
pub(super) fn forwarded(app_state: &AppState, metadata: &MetadataMap) -> Parameters {
    let mut parameters = Parameters::default();
    app_state
        .forward
        .forward(headers(metadata), &mut parameters);
    parameters
}

/// Returns the client's trace context, if any.
pub(super) fn context(metadata: &MetadataMap) -> Option<TraceContext> {
    let values = |name| {
        let values = metadata.get_all(name).iter();
        values.filter_map(|value| value.to_str().ok())
    };
    TraceContext::read(values(TRACEPARENT), || values(TRACESTATE))
}

#[cfg(test)]
mod tests {
    use pytriton_engine::HeaderForward;
    use tonic::metadata::MetadataValue;

    use super::*;

    #[test]
    fn matching_text_metadata_is_forwarded() {
        let mut metadata = MetadataMap::new();
        metadata.insert("x-user", MetadataValue::from_static("a"));
        metadata.insert("y-user", MetadataValue::from_static("b"));
        metadata.insert_bin("x-user-bin", MetadataValue::from_bytes(b"c\xff"));
        let forward = HeaderForward::new("^x-").unwrap();
        let mut parameters = Parameters::default();
        forward.forward(headers(&metadata), &mut parameters);
        let forwarded: Vec<_> = parameters.iter().map(|(name, _)| name).collect();
        assert_eq!(forwarded, ["x-user", "x-user-bin"]);
        assert_eq!(parameters.str("x-user"), Some("a"));
        assert_eq!(parameters.str("x-user-bin"), Some("c\u{fffd}"));
    }
}
