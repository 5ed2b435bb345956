use std::path::PathBuf;
use std::sync::Arc;

use pytriton_engine::access::Access;
use pytriton_engine::options::ControlOptions;

use crate::triton::Flags;

use super::Endpoints;

/// The configuration with which a tritonserver is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The addresses on which it listens; `None` disables an endpoint.
    pub endpoints: Endpoints,
    /// The pattern of HTTP headers that become request parameters; empty for none.
    pub http_header_forward_pattern: String,
    /// The pattern of gRPC metadata that becomes request parameters; empty for none.
    pub grpc_header_forward_pattern: String,
    /// The time for accepted requests at shutdown, in seconds.
    pub exit_timeout_secs: u64,
    /// The time until the server must be ready, in seconds.
    pub ready_timeout_secs: u64,
    /// The verbosity of the log beyond the info level.
    pub log_verbose: u8,
    /// The maximum size of a request, in bytes.
    pub max_request_bytes: usize,
    /// The folder of the model repository.
    pub repository: PathBuf,
    /// The folder of our backend.
    pub backends: PathBuf,
    /// The folder of the server's response caches.
    pub caches: Option<PathBuf>,
    /// Whether at least one model uses the response cache.
    pub response_cache: bool,
    /// Access control.
    pub access: Arc<Access>,
    /// Which models are loaded.
    pub control: ControlOptions,
    /// Options that the user passes through to tritonserver.
    pub flags: Flags,
}
