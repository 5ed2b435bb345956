use std::path::PathBuf;

/// The options of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoreOptions {
    /// The name of the server in its metadata.
    pub server_id: String,
    /// The model repositories. At least one is needed.
    pub repositories: Vec<PathBuf>,
    /// The folder of the backends: each is a folder with its library.
    pub backends: Option<PathBuf>,
    /// The folder of the response caches.
    pub caches: Option<PathBuf>,
    /// The name and the JSON configuration of each response cache.
    pub cache_configs: Vec<(String, String)>,
    /// Settings of backends: the backend, or an empty text for all, the setting and its value.
    pub backend_configs: Vec<(String, String, String)>,
    /// Which models are loaded, and when.
    pub control: ModelControl,
    /// Whether a model or a response cache that does not load is an error of the start. If not, it
    /// is logged, and the index reports the model.
    pub exit_on_error: bool,
    /// Whether the server is ready only if all models are.
    pub strict_readiness: bool,
    /// How long [`Core::stop`](crate::Core::stop) waits for requests, in seconds.
    pub exit_timeout_secs: u32,
    /// The size of the pool of pinned memory, which only models on a GPU use.
    pub pinned_memory_bytes: u64,
    /// Which messages Triton writes to the standard error of the process. They apply to the whole
    /// process, and remain after the server is dropped.
    pub log: LogLevels,
    /// Whether metrics are kept.
    pub metrics: bool,
}

/// Which models are loaded, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelControl {
    /// All models of the repositories, at the start.
    All,
    /// These models at the start, and others by [`Core::load`](crate::Core::load).
    Explicit(Vec<String>),
}

/// The levels of Triton's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLevels {
    /// Information about models and the server.
    pub info: bool,
    /// Warnings.
    pub warn: bool,
    /// Errors.
    pub error: bool,
    /// The verbosity; 0 for none.
    pub verbose: u16,
}

impl CoreOptions {
    /// Creates the options of a server with one model repository.
    pub fn new(repository: impl Into<PathBuf>) -> Self {
        Self {
            server_id: "triton".to_owned(),
            repositories: vec![repository.into()],
            backends: None,
            caches: None,
            cache_configs: Vec::new(),
            backend_configs: Vec::new(),
            control: ModelControl::All,
            exit_on_error: true,
            strict_readiness: true,
            exit_timeout_secs: 30,
            pinned_memory_bytes: 0,
            log: LogLevels::default(),
            metrics: true,
        }
    }
}

impl Default for LogLevels {
    /// Warnings and errors.
    fn default() -> Self {
        Self {
            info: false,
            warn: true,
            error: true,
            verbose: 0,
        }
    }
}
