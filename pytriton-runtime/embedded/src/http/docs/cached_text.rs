use std::io::Write;

use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::access::base64_url;
use sha2::{Digest, Sha256};

use super::super::compression::Encoding;
use super::super::head::value;
use super::super::response::{HttpResponse, respond};

/// A text that is sent without being copied. All responses share its bytes.
#[derive(Debug, Clone)]
pub(super) struct CachedText {
    pub(super) plain: TrackedBytes,
    /// The compressed text.
    gzip: Option<TrackedBytes>,
    /// The entity tag.
    tag: HeaderValue,
}

impl CachedText {
    pub(super) fn new(text: String) -> Self {
        let tag = HeaderValue::try_from(format!("\"{}\"", hash(&text)));
        Self {
            gzip: gzip(text.as_bytes()).map(own),
            plain: own(text),
            tag: tag.unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
        }
    }

    /// Creates a response, which is empty if the client has the current version.
    pub(super) fn respond(&self, content_type: &'static str, asked: &HeaderMap) -> HttpResponse {
        let gzip = match Encoding::of_response(value(asked, &ACCEPT_ENCODING)) {
            Some(Encoding::Gzip) => self.gzip.as_ref(),
            _ => None,
        };
        let (status, body) = match (self.is_known(asked), gzip) {
            (true, _) => (StatusCode::NOT_MODIFIED, TrackedBytes::default()),
            (false, Some(gzip)) => (StatusCode::OK, gzip.clone()),
            (false, None) => (StatusCode::OK, self.plain.clone()),
        };
        let mut response = respond(status, content_type, body);
        let headers = response.headers_mut();
        if gzip.is_some() && status == StatusCode::OK {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(ETAG, self.tag.clone());
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        response
    }

    fn is_known(&self, asked: &HeaderMap) -> bool {
        let known = asked.get_all(IF_NONE_MATCH).iter();
        let known = known.filter_map(|tags| tags.to_str().ok());
        let mut tags = known.flat_map(|tags| tags.split(',')).map(str::trim);
        tags.any(|tag| tag.trim_start_matches("W/") == self.tag)
    }
}

/// Returns a text that the server keeps.
fn own(text: impl Into<Bytes>) -> TrackedBytes {
    TrackedBytes::new(text.into(), MemoryPermit::unlimited())
}

pub(super) fn hash(text: &str) -> String {
    base64_url(&Sha256::digest(text))
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}
