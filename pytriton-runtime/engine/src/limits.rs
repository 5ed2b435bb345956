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
    /// The limits of the connections of a port.
    pub connections: ConnectionLimits,
    /// The maximum number of queued requests per priority level of a model that does not set
    /// `max_queue_size`. Default: 4096.
    pub max_queue_size: usize,
    /// The size of the response cache in bytes. Default: 64 MiB.
    pub response_cache_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_request_bytes: 64 << 20,
            max_bytes_in_flight: 1 << 30,
            max_json_depth: 100,
            connections: ConnectionLimits::default(),
            max_queue_size: 4096,
            response_cache_bytes: 64 << 20,
        }
    }
}
