use std::io::Write;

use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_core::uncounted::Uncounted;
use pytriton_engine::access::base64_url;
use sha2::{Digest, Sha256};

/// A text that is sent without being copied. All responses share its bytes.
#[derive(Debug, Clone)]
pub(crate) struct CachedText {
    pub(crate) plain: TrackedBytes,
    /// The compressed text.
    pub(crate) gzip: Option<TrackedBytes>,
    /// The entity tag.
    pub(crate) tag: HeaderValue,
}

impl CachedText {
    pub(crate) fn new(text: String) -> Self {
        let tag = HeaderValue::try_from(format!("\"{}\"", hash(&text)));
        Self {
            gzip: gzip(text.as_bytes()).map(own),
            plain: own(text),
            tag: tag.unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
        }
    }

    /// Returns whether a client has the current version.
    pub(crate) fn is_known(&self, request: &HeaderMap) -> bool {
        let known = request.get_all(IF_NONE_MATCH).iter();
        let known = known.filter_map(|tags| tags.to_str().ok());
        let mut tags = known.flat_map(|tags| tags.split(',')).map(str::trim);
        tags.any(|tag| tag.trim_start_matches("W/") == self.tag)
    }
}

/// Returns a text that the server keeps.
fn own(text: impl Into<Bytes>) -> TrackedBytes {
    TrackedBytes::uncounted(text.into(), Uncounted::ServerText)
}

/// Returns the hash of a text in Base64, without padding.
pub(crate) fn hash(text: &str) -> String {
    base64_url(&Sha256::digest(text))
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}
