use std::sync::Arc;

use axum::http::{HeaderMap, Method, Response};
use hyper::body::Frame;
use parking_lot::Mutex;
use pytriton_engine::logging::{AccessLine, InferenceSummary, write_access};
use tokio::time::Instant;

use super::ConnectionLog;

/// The header or trailer with the status of a gRPC call.
const GRPC_STATUS: &str = "grpc-status";

/// A request in the access log.
#[derive(Debug)]
pub(crate) struct LoggedRequest {
    pub(super) connection: Arc<ConnectionLog>,
    pub(super) begun: Instant,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) protocol: &'static str,
    pub(super) request_bytes: Option<u64>,
    pub(super) trace_id: Option<u128>,
    pub(super) inference: Mutex<Option<InferenceSummary>>,
}

/// A line that is written when it is dropped: after the end of the response, or when the client has
/// disconnected.
#[derive(Debug)]
pub(crate) struct PendingLine {
    pub(super) request: Arc<LoggedRequest>,
    status: Option<u16>,
    grpc_status: Option<u16>,
    bytes: u64,
    is_complete: bool,
}

impl PendingLine {
    pub(super) fn new(request: LoggedRequest) -> Box<Self> {
        Box::new(Self {
            request: Arc::new(request),
            status: None,
            grpc_status: None,
            bytes: 0,
            is_complete: false,
        })
    }

    /// Records the head of the response. `is_empty` states whether it has no body.
    pub(crate) fn respond<B>(&mut self, response: &Response<B>, is_empty: bool) {
        self.status = Some(response.status().as_u16());
        self.grpc_status = grpc_status(response.headers());
        // The body of a response to HEAD is never sent.
        self.is_complete = is_empty || self.request.method == Method::HEAD;
    }

    /// Records a frame of the response; `None` for its end. `is_last` states whether it is the last
    /// frame.
    pub(crate) fn hand_over<D: AsRef<[u8]>>(&mut self, frame: Option<&Frame<D>>, is_last: bool) {
        let trailers = frame.and_then(Frame::trailers_ref);
        if let Some(data) = frame.and_then(Frame::data_ref) {
            self.bytes += data.as_ref().len() as u64;
        }
        self.grpc_status = trailers.and_then(grpc_status).or(self.grpc_status);
        self.is_complete |= frame.is_none() || trailers.is_some() || is_last;
    }
}

fn grpc_status(headers: &HeaderMap) -> Option<u16> {
    headers.get(GRPC_STATUS)?.to_str().ok()?.parse().ok()
}

impl Drop for PendingLine {
    fn drop(&mut self) {
        let request = &*self.request;
        let inference = request.inference.lock();
        let line = AccessLine {
            client: request.connection.client,
            method: request.method.as_str(),
            path: &request.path,
            protocol: request.protocol,
            status: self.status,
            grpc_status: self.grpc_status,
            request_bytes: request.request_bytes,
            response_bytes: self.bytes,
            duration: request.begun.elapsed(),
            is_cut: !self.is_complete,
            trace_id: request.trace_id,
            inference: inference.as_ref(),
        };
        write_access(&line, request.connection.format);
    }
}
