use std::time::Duration;

use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioTimer;

use crate::ConnectionLimits;
use crate::connection_state::ConnectionState;
use crate::receive_windows::ReceiveWindow;

/// The interval and the timeout of HTTP/2 pings.
const HTTP2_PING: Duration = Duration::from_secs(20);

/// Heads are read up to this multiple of the limit. The client then receives an error that names
/// the limit, over gRPC with its status.
const HEAD_READ_FACTOR: usize = 4;

/// The minimum size of hyper's buffer for heads.
const MIN_HTTP1_BUFFER_BYTES: usize = 8 << 10;

/// The HTTP settings of the connections of a port.
#[derive(Debug)]
pub(crate) struct HttpBuilders {
    http1: http1::Builder,
    header_list_bytes: u32,
    max_concurrent_streams: u32,
}

impl HttpBuilders {
    pub(crate) fn new(limits: &ConnectionLimits) -> Self {
        let head_bytes = HEAD_READ_FACTOR.saturating_mul(limits.max_header_bytes);
        let mut http1 = http1::Builder::new();
        http1
            // A connection without a complete head counts as idle, so its idle timeout applies.
            .header_read_timeout(None)
            .max_buf_size(head_bytes.max(MIN_HTTP1_BUFFER_BYTES))
            .auto_date_header(false);
        // hyper needs no extra memory with its default number.
        if limits.max_headers != ConnectionLimits::default().max_headers {
            http1.max_headers(limits.max_headers);
        }
        Self {
            http1,
            header_list_bytes: u32::try_from(head_bytes).unwrap_or(u32::MAX),
            max_concurrent_streams: limits.max_concurrent_streams,
        }
    }

    pub(crate) fn http1(&self) -> &http1::Builder {
        &self.http1
    }

    pub(crate) fn http2(
        &self,
        window: &ReceiveWindow,
        executor: StreamExecutor,
    ) -> http2::Builder<StreamExecutor> {
        let mut http2 = http2::Builder::new(executor);
        http2
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .max_concurrent_streams(window.streams(self.max_concurrent_streams))
            .max_header_list_size(self.header_list_bytes)
            .keep_alive_interval(HTTP2_PING)
            .keep_alive_timeout(HTTP2_PING)
            .initial_stream_window_size(window.stream())
            .initial_connection_window_size(window.connection());
        http2
    }
}

/// Runs the streams of an HTTP/2 connection as tasks that the connection state can abort.
#[derive(Debug, Clone)]
pub(crate) struct StreamExecutor(ConnectionState);

impl StreamExecutor {
    pub(crate) fn new(state: &ConnectionState) -> Self {
        Self(state.clone())
    }
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let task = tokio::spawn(stream);
        self.0.attach(task.abort_handle());
    }
}
