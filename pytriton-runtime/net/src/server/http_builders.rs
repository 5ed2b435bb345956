use std::time::Duration;

use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioTimer;

use crate::ConnectionLimits;
use crate::server::connection_state::ConnectionState;
use crate::server::receive_windows::ReceiveWindow;

/// Heads are read up to this multiple of the limit. The client then receives an error that names
/// the limit, over gRPC with its status.
const HEAD_READ_FACTOR: usize = 4;

/// The minimum size of hyper's buffer for heads.
const MIN_HTTP1_BUFFER_BYTES: usize = 8 << 10;

/// The HTTP/1 buffers of all connections of a port get at most this fraction of the memory budget
/// (a divisor), so that heads leave space for requests.
const HTTP1_SHARE_OF_BUDGET: usize = 4;

/// hyper's buffer grows by doubling.
pub(crate) const HTTP1_BUFFER_GROWTH: usize = 2;

/// The overhead of HTTP/1 syntax, which [`ConnectionLimits::max_header_bytes`] does not include:
/// the request line, and the separators of each header.
const HTTP1_LINE_BYTES: usize = 1 << 10;
const HTTP1_HEADER_BYTES: usize = 8;

/// The HTTP settings of the connections of a port.
#[derive(Debug)]
pub(crate) struct HttpBuilders {
    http1: http1::Builder,
    header_list_bytes: u32,
    max_concurrent_streams: u32,
    ping_interval: Duration,
    ping_timeout: Duration,
}

impl HttpBuilders {
    /// Creates the settings. `budget` is the limit of the memory budget in bytes.
    pub(crate) fn new(limits: &ConnectionLimits, budget: usize) -> Self {
        let head_bytes = HEAD_READ_FACTOR.saturating_mul(limits.max_header_bytes);
        let mut http1 = http1::Builder::new();
        http1
            // A connection without a complete head counts as idle, so its idle timeout applies.
            .header_read_timeout(None)
            .max_buf_size(http1_buffer_bytes(limits, budget))
            .auto_date_header(false);
        // hyper needs no extra memory with its default number.
        if limits.max_headers != ConnectionLimits::default().max_headers {
            http1.max_headers(limits.max_headers);
        }
        Self {
            http1,
            header_list_bytes: u32::try_from(head_bytes).unwrap_or(u32::MAX),
            max_concurrent_streams: limits.max_concurrent_streams,
            ping_interval: limits.ping_interval,
            ping_timeout: limits.ping_timeout,
        }
    }

    pub(crate) fn http1(&self) -> &http1::Builder {
        &self.http1
    }

    /// Returns the maximum size of the header list of an HTTP/2 request.
    pub(crate) fn header_list_bytes(&self) -> u32 {
        self.header_list_bytes
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
            .keep_alive_interval(self.ping_interval)
            .keep_alive_timeout(self.ping_timeout)
            .initial_stream_window_size(window.stream())
            .initial_connection_window_size(window.connection());
        http2
    }
}

/// Returns the maximum size of hyper's buffer of an HTTP/1 connection, in which the head of a
/// request arrives. All allowed heads fit.
fn http1_buffer_bytes(limits: &ConnectionLimits, budget: usize) -> usize {
    let wanted = HEAD_READ_FACTOR.saturating_mul(limits.max_header_bytes);
    let connections = (limits.max_connections as usize).max(1);
    let share = budget / HTTP1_SHARE_OF_BUDGET / HTTP1_BUFFER_GROWTH / connections;
    let syntax = HTTP1_HEADER_BYTES.saturating_mul(limits.max_headers);
    let syntax = syntax.saturating_add(HTTP1_LINE_BYTES);
    let needed = limits.max_header_bytes.saturating_add(syntax);
    wanted.min(share).max(needed).max(MIN_HTTP1_BUFFER_BYTES)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http1_buffers_are_a_share_of_the_budget_and_allowed_heads_fit() {
        const KIB: usize = 1 << 10;
        let needed = 16 * KIB + 800 + KIB;
        for (mib, max_connections, expected) in [
            (1 << 10, 1024, 64 * KIB),
            (512, 1024, 64 * KIB),
            (256, 1024, 32 * KIB),
            (64, 1024, needed),
            (64, 128, 64 * KIB),
            (64, 1, 64 * KIB),
            (0, 1, needed),
            (0, 0, needed),
        ] {
            let limits = ConnectionLimits {
                max_connections,
                ..ConnectionLimits::default()
            };
            let budget = mib * KIB * KIB;
            let bytes = http1_buffer_bytes(&limits, budget);
            assert_eq!(bytes, expected, "{mib} {max_connections}");
            let all = HTTP1_BUFFER_GROWTH * bytes * max_connections as usize;
            let least = HTTP1_BUFFER_GROWTH * needed * max_connections as usize;
            assert!(all <= least.max(budget / 4));
        }
        let tiny = ConnectionLimits {
            max_header_bytes: 1,
            ..ConnectionLimits::default()
        };
        assert_eq!(
            http1_buffer_bytes(&tiny, usize::MAX),
            MIN_HTTP1_BUFFER_BYTES
        );
    }
}
