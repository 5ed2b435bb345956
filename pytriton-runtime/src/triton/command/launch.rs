use std::path::PathBuf;
use std::sync::Arc;

use crate::access::Access;
use crate::engine::ControlOptions;
use crate::triton::Flags;

use super::Endpoints;

/// All that a tritonserver is told when it is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Where it listens; what is `None` is not served.
    pub endpoints: Endpoints,
    /// Which HTTP headers become request parameters; empty for none.
    pub http_header_forward_pattern: String,
    /// Which gRPC metadata becomes request parameters; empty for none.
    pub grpc_header_forward_pattern: String,
    /// How long accepted requests have when it stops.
    pub exit_timeout_secs: u64,
    /// How long it may take to be ready.
    pub ready_timeout_secs: u64,
    /// How much it logs beyond information.
    pub log_verbose: u8,
    /// The bytes of the largest request.
    pub max_request_bytes: usize,
    /// The folder with our models.
    pub repository: PathBuf,
    /// The folder with our backend.
    pub backends: PathBuf,
    /// The folder with the server's response caches.
    pub caches: Option<PathBuf>,
    /// Whether one of our models keeps its responses.
    pub response_cache: bool,
    /// Who may ask for what.
    pub access: Arc<Access>,
    /// Which models are loaded.
    pub control: ControlOptions,
    /// What the user passes on.
    pub flags: Flags,
}
