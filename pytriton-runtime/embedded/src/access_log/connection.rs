use std::iter::empty;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::header::CONTENT_LENGTH;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Version};
use pytriton_core::text::excerpt;
use pytriton_core::trace::{TRACEPARENT, TraceContext};
use pytriton_engine::logging::AccessLogFormat;
use tokio::time::Instant;

use crate::content_type::is_grpc;

use super::PendingLine;
use super::logged_request::LoggedRequest;

/// The access log of one connection.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLog {
    pub(super) format: AccessLogFormat,
    pub(super) client: Option<SocketAddr>,
}

impl ConnectionLog {
    /// Creates the log before the client is known.
    pub(crate) fn new(format: AccessLogFormat) -> Arc<Self> {
        let client = None;
        Arc::new(Self { format, client })
    }

    /// Returns the log of a client.
    pub(crate) fn of_client(&self, client: Option<SocketAddr>) -> Arc<Self> {
        let format = self.format;
        Arc::new(Self { format, client })
    }

    /// Begins the line of a request.
    pub(crate) fn begin(self: &Arc<Self>, head: &Parts) -> Box<PendingLine> {
        PendingLine::new(LoggedRequest {
            connection: Arc::clone(self),
            begun: Instant::now(),
            method: head.method.clone(),
            path: excerpt(head.uri.path()),
            protocol: match (is_grpc(&head.headers), head.version) {
                (true, _) => "gRPC",
                (_, Version::HTTP_10) => "HTTP/1.0",
                (_, Version::HTTP_2) => "HTTP/2.0",
                _ => "HTTP/1.1",
            },
            request_bytes: number(head.headers.get(CONTENT_LENGTH)),
            trace_id: trace_id(&head.headers),
            inference: None.into(),
        })
    }
}

fn number(value: Option<&HeaderValue>) -> Option<u64> {
    value?.to_str().ok()?.trim().parse().ok()
}

fn trace_id(headers: &HeaderMap) -> Option<u128> {
    let parents = headers.get_all(TRACEPARENT).iter();
    let context = TraceContext::read(parents.filter_map(|value| value.to_str().ok()), empty);
    context.map(|context| context.trace_id)
}
