use std::time::Duration;

/// Every limit of the server. All are finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of one request, as it comes and after decompression; 64 MiB.
    pub max_request_bytes: usize,
    /// The bytes of requests and responses that the process may hold at a time; 1 GiB.
    pub max_bytes_in_flight: usize,
    /// How deep the arrays of an input's JSON data may stand in each other; 100.
    pub max_json_depth: usize,
    /// The requests that one HTTP/2 connection may have under way; 100.
    pub max_concurrent_streams: u32,
    /// The connections that one port serves at a time; 1024.
    pub max_connections: u32,
    /// How long a client may take to send the head of a request, and be idle before it; 75 seconds.
    pub header_timeout: Duration,
    /// How long a client may let the server wait for the next bytes of a body, or for the room to send it some; 20
    /// seconds.
    pub body_timeout: Duration,
    /// The bytes that must come of a body each second, on average and after [`body_timeout`](Self::body_timeout); 16
    /// KiB.
    pub min_body_rate: u32,
    /// The bytes of the head of one request; 16 KiB.
    pub max_header_bytes: usize,
    /// The headers of one request; 100.
    pub max_headers: usize,
    /// The requests that may wait on each priority level of a model that sets no `max_queue_size`; 4096.
    pub max_queue_size: usize,
    /// The bytes of the responses that are kept for the next request of the same inputs; 64 MiB.
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
