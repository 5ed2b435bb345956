use std::time::Duration;

/// The limits of the connections of a port. All are finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// The maximum number of connections. Default: 1024.
    pub max_connections: u32,
    /// The maximum number of concurrent requests of one HTTP/2 connection. Default: 100.
    pub max_concurrent_streams: u32,
    /// The timeout for the head of a request, including the idle time before it. Default: 75
    /// seconds.
    pub header_timeout: Duration,
    /// The timeout for a client to read the next bytes of a response, or to send the next bytes of
    /// a body that is read with a [`BodyTimeout`](crate::BodyTimeout). Default: 20 seconds.
    pub body_timeout: Duration,
    /// The minimum average rate in bytes per second at which a client sends a body or reads a
    /// response, checked after [`body_timeout`](Self::body_timeout). Default: 16 KiB.
    pub min_body_rate: u32,
    /// The interval of HTTP/2 pings, which show whether the client is still there. Default: 20
    /// seconds.
    pub ping_interval: Duration,
    /// The timeout for the response to a ping, after which the connection is closed. Default: 20
    /// seconds.
    pub ping_timeout: Duration,
    /// The size of the head of one request in bytes. Heads of up to four times this size reach the
    /// service, which can name the limit in its response; larger ones are refused before. The limit
    /// of an HTTP/1.1 head is lower if the memory budget is small for the number of connections.
    /// Default: 16 KiB.
    pub max_header_bytes: usize,
    /// The maximum number of headers of one HTTP/1.1 request. Default: 100.
    pub max_headers: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            max_connections: 1024,
            max_concurrent_streams: 100,
            header_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(20),
            min_body_rate: 16 << 10,
            ping_interval: Duration::from_secs(20),
            ping_timeout: Duration::from_secs(20),
            max_header_bytes: 16 << 10,
            max_headers: 100,
        }
    }
}
