use std::time::Duration;

/// All limits of the server. All are finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The size of a request in bytes, as received and after decompression; 64 MiB.
    pub max_request_bytes: usize,
    /// The memory budget for requests and responses in bytes; 1 GiB.
    pub max_bytes_in_flight: usize,
    /// The nesting depth of arrays in an input's JSON data; 100.
    pub max_json_depth: usize,
    /// The number of concurrent requests of an HTTP/2 connection; 100.
    pub max_concurrent_streams: u32,
    /// The number of connections of a port; 1024.
    pub max_connections: u32,
    /// The time to receive a request head, and the idle time of a connection; 75 seconds.
    pub header_timeout: Duration,
    /// The longest pause of a client within a body, or while it receives a response; 20 seconds.
    pub body_timeout: Duration,
    /// The minimum average rate of a body after [`body_timeout`](Self::body_timeout), in bytes per
    /// second; 16 KiB.
    pub min_body_rate: u32,
    /// The size of a request head in bytes; 16 KiB.
    pub max_header_bytes: usize,
    /// The number of headers of a request; 100.
    pub max_headers: usize,
    /// The number of waiting requests on each priority level of a model without `max_queue_size`;
    /// 4096.
    pub max_queue_size: usize,
    /// The size of the response cache in bytes; 64 MiB.
    pub response_cache_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_request_bytes: 64 << 20,
            max_bytes_in_flight: 1 << 30,
            max_json_depth: 100,
            max_concurrent_streams: 100,
            max_connections: 1024,
            header_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(20),
            min_body_rate: 16 << 10,
            max_header_bytes: 16 << 10,
            max_headers: 100,
            max_queue_size: 4096,
            response_cache_bytes: 64 << 20,
        }
    }
}
