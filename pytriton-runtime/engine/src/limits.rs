use std::time::Duration;

use pytriton_net::ConnectionLimits;

/// The limits of the server. All are finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of one request in bytes, before and after decompression. Default: 64 MiB.
    pub max_request_bytes: usize,
    /// The maximum number of bytes of requests and responses in the process. Default: 1 GiB.
    pub max_bytes_in_flight: usize,
    /// The maximum nesting of arrays in the JSON data of an input. Default: 100.
    pub max_json_depth: usize,
    /// The maximum number of concurrent requests of one HTTP/2 connection. Default: 100.
    pub max_concurrent_streams: u32,
    /// The maximum number of connections of one port. Default: 1024.
    pub max_connections: u32,
    /// The timeout for the head of a request, including the idle time before it. Default: 75
    /// seconds.
    pub header_timeout: Duration,
    /// The timeout for the next bytes of a body, or for a client to read the next bytes of a
    /// response. Default: 20 seconds.
    pub body_timeout: Duration,
    /// The minimum average rate in bytes per second at which a client sends a body or reads a
    /// response, checked after [`body_timeout`](Self::body_timeout). Default: 16 KiB.
    pub min_body_rate: u32,
    /// The maximum size of the head of one request in bytes. Default: 16 KiB.
    pub max_header_bytes: usize,
    /// The maximum number of headers of one request. Default: 100.
    pub max_headers: usize,
    /// The maximum number of queued requests per priority level of a model that does not set
    /// `max_queue_size`. Default: 4096.
    pub max_queue_size: usize,
    /// The size of the response cache in bytes. Default: 64 MiB.
    pub response_cache_bytes: usize,
}

impl Limits {
    /// Returns the limits of the connections of a port.
    pub fn connections(&self) -> ConnectionLimits {
        ConnectionLimits {
            max_connections: self.max_connections,
            max_concurrent_streams: self.max_concurrent_streams,
            header_timeout: self.header_timeout,
            body_timeout: self.body_timeout,
            min_body_rate: self.min_body_rate,
            max_header_bytes: self.max_header_bytes,
            max_headers: self.max_headers,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let connections = ConnectionLimits::default();
        Self {
            max_request_bytes: 64 << 20,
            max_bytes_in_flight: 1 << 30,
            max_json_depth: 100,
            max_concurrent_streams: connections.max_concurrent_streams,
            max_connections: connections.max_connections,
            header_timeout: connections.header_timeout,
            body_timeout: connections.body_timeout,
            min_body_rate: connections.min_body_rate,
            max_header_bytes: connections.max_header_bytes,
            max_headers: connections.max_headers,
            max_queue_size: 4096,
            response_cache_bytes: 64 << 20,
        }
    }
}
