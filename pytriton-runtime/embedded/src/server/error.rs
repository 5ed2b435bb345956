use std::net::SocketAddr;

use pytriton_core::registry::RegistryError;
use pytriton_engine::access::AccessError;
use pytriton_engine::options::{ControlError, OptionsError, UnsupportedOptions};
use pytriton_engine::tls::TlsError;
use pytriton_scheduler::cache::CacheConfigError;
use thiserror::Error;

use crate::metrics::MetricsConfigError;
use crate::repository::LoadError;
use crate::trace_extension::TraceConfigError;

/// The embedded engine, or its ports next to a tritonserver, cannot be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// The options are invalid.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The embedded engine does not support these options.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedOptions),
    /// The model control options are invalid.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The access options are invalid.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The value of `--cache-config` is invalid.
    #[error(transparent)]
    Cache(#[from] CacheConfigError),
    /// The value of `--metrics-config` is invalid.
    #[error(transparent)]
    Metrics(#[from] MetricsConfigError),
    /// The value of `--trace-config` is invalid.
    #[error(transparent)]
    Trace(#[from] TraceConfigError),
    /// The set of models is invalid.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A model cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A model has OpenAI routes, but no port serves them.
    #[error(
        "models with `#[openai]` are served on the HTTP port: remove --allow-http=false, set a separate port with --openai-port, or disable their routes with --allow-openai=false"
    )]
    NoOpenAiPort,
    /// An address was given for the OpenAI routes, but no port.
    #[error(
        "--openai-address has no effect without a separate port for the OpenAI routes: set --openai-port as well, or remove it"
    )]
    OpenAiAddress,
    /// An address was given for the docs page, but no port.
    #[error(
        "--docs-address has no effect without a separate port for the docs page: set --docs-port as well, or remove it"
    )]
    DocsAddress,
    /// The Vertex AI routes cannot be served. The messages are tritonserver's.
    #[error("failed to start Vertex AI service: {0}")]
    VertexAi(String),
    /// The SageMaker routes cannot be served. The messages are tritonserver's.
    #[error("failed to start SageMaker service: {0}")]
    SageMaker(String),
    /// The option is about ports of the server, and a router has none.
    #[error(
        "--{option} requires a separate port, and a router has no ports: run the server, or remove the option"
    )]
    NoPort {
        /// The option.
        option: &'static str,
    },
    /// A model has OpenAI routes, but HTTP is disabled for tritonserver.
    #[error(
        "with tritonserver, models with `#[openai]` require HTTP: remove --allow-http=false, use `--engine embedded`, or disable their routes with --allow-openai=false"
    )]
    NoHttp,
    /// A port cannot be opened.
    #[error("cannot listen on {address} for {endpoint} (option --{endpoint}-port): {source}")]
    Bind {
        /// `http`, `grpc`, `metrics` or `openai`.
        endpoint: &'static str,
        /// The address.
        address: SocketAddr,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}
