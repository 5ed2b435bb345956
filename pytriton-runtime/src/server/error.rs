use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::access::AccessError;
use crate::bound::ModelFlaws;
#[cfg(feature = "embedded")]
use crate::cache::CacheConfigError;
#[cfg(feature = "embedded")]
use crate::engine::UnsupportedOptions;
use crate::engine::{ChoiceError, ControlError};
use crate::instance::FatalError;
#[cfg(feature = "embedded")]
use crate::metrics::MetricsConfigError;
use crate::registry::RegistryError;
#[cfg(feature = "embedded")]
use crate::repository::LoadError;
use crate::tls::TlsError;
use crate::trace::TracesError;
#[cfg(feature = "embedded")]
use crate::trace_extension::TraceConfigError;
#[cfg(tritonserver)]
use crate::triton::install::InstallError;
#[cfg(tritonserver)]
use crate::triton::process::ExitReport;
#[cfg(tritonserver)]
use crate::triton::{EngineError, ProbeError, Version, WriteError};

use super::settings::{Mistakes, ResolveError};

/// An error of starting, running or stopping the server.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The binary registers no model.
    #[error(
        "no model is registered: annotate a function with `#[pytriton::model(name = \"…\")]`; those of a library crate are linked where the binary names it, `use my_models as _;`"
    )]
    NoModels,
    /// The log file cannot be opened.
    #[error("log file '{}' cannot be written: {source}", path.display())]
    LogFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The signature file is invalid.
    #[error("{}: {message}", file.display())]
    LockFile {
        /// The file.
        file: PathBuf,
        /// The reason.
        message: String,
    },
    /// The models have changed in ways that break their clients.
    #[error("{}: {breaking} of these changes break callers; if they are meant, write the file anew with `list --format json`", file.display())]
    Breaking {
        /// The signature file that clients depend on.
        file: PathBuf,
        /// The number of breaking changes.
        breaking: usize,
    },
    /// The value of `--trace-config` is invalid.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Trace(#[from] TraceConfigError),
    /// Histograms were requested from a tritonserver version that ignores the setting.
    #[cfg(tritonserver)]
    #[error(
        "option --metrics-config: tritonserver {version} has no `histogram_latencies`, which is of {}: take a later one (--tritonserver PATH) or `--engine embedded`, or leave it out",
        Version::HISTOGRAMS
    )]
    Histograms {
        /// The version of tritonserver.
        version: Version,
    },
    /// No model is bound for tritonserver.
    #[error(
        "no model is bound: tritonserver is started with the models that it serves, call `bind` before"
    )]
    NothingBound,
    /// The model cannot be bound.
    #[error(transparent)]
    Model(#[from] ModelFlaws),
    /// A model cannot be added or removed while tritonserver serves.
    #[error(
        "model '{model}' cannot {verb} while tritonserver serves: its models are fixed when it starts, because whoever could \
         reach it could then load and unload models too; call `stop` before, or take the embedded engine"
    )]
    Fixed {
        /// The model.
        model: Arc<str>,
        /// `come` or `go`, as in the message.
        verb: &'static str,
    },
    /// The model is not bound.
    #[error("no model '{model}' of version {version} is bound")]
    NotBound {
        /// The name of the model.
        model: Arc<str>,
        /// The version of the model.
        version: u32,
    },
    /// The server is running already.
    #[error("the server runs already")]
    Running,
    /// A model still had requests when the exit timeout ended.
    #[error(
        "{seconds} seconds were not enough to answer all accepted requests of model '{model}' (option --exit-timeout-secs)"
    )]
    Unbind {
        /// The model.
        model: Arc<str>,
        /// The exit timeout in seconds.
        seconds: u64,
    },
    /// The access options are invalid.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The arguments or environment variables are invalid.
    #[error("{0}")]
    Arguments(String),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Spans cannot be exported.
    #[error("option --traces-exporter: {0}")]
    Traces(TracesError),
    /// The configuration file or a variable set by a platform is invalid.
    #[error(transparent)]
    Configuration(#[from] Mistakes),
    /// The set of models is invalid.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A model cannot be loaded.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The model control options are invalid.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The value of `--cache-config` is invalid.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Cache(#[from] CacheConfigError),
    /// The value of `--metrics-config` is invalid.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Metrics(#[from] MetricsConfigError),
    /// The embedded engine does not support these options.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Options(#[from] UnsupportedOptions),
    /// The tritonserver engine does not support the option.
    #[error(
        "the tritonserver engine cannot honour {option}: take `--engine embedded`, which can, or leave it out"
    )]
    EmbeddedOnly {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// Neither HTTP nor gRPC is enabled. The message is PyTriton's.
    #[error("The `http` or `grpc` endpoint has to be allowed.")]
    NoEndpoint,
    /// A model has OpenAI routes, but HTTP is disabled for tritonserver.
    #[cfg(tritonserver)]
    #[error(
        "models under `#[openai]` need HTTP beside tritonserver: leave out --allow-http=false, take `--engine embedded`, or \
         close their routes with --allow-openai=false"
    )]
    NoHttp,
    /// The docs page has a port, but HTTP is disabled for tritonserver.
    #[cfg(tritonserver)]
    #[error(
        "{option} is for the page, which needs HTTP beside tritonserver: leave it out, leave out --allow-http=false, or take \
         `--engine embedded`"
    )]
    DocsNoHttp {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// The docs page has a port, but this binary cannot serve the page.
    #[cfg(tritonserver)]
    #[error(
        "{option} is for the page, which needs pytriton's feature `embedded`, beside tritonserver too: leave it out"
    )]
    NoDocs {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// A model has OpenAI routes, but this binary cannot serve them.
    #[cfg(tritonserver)]
    #[error(
        "models under `#[openai]` need pytriton's feature `embedded`, which serves OpenAI's routes beside tritonserver too, or \
         --allow-openai=false"
    )]
    NoTexts,
    /// A model has OpenAI routes, but no port serves them.
    #[cfg(feature = "embedded")]
    #[error(
        "models under `#[openai]` are served on the port for HTTP: leave out --allow-http=false, give them a port of their own \
         with --openai-port, or close their routes with --allow-openai=false"
    )]
    OpenAiNowhere,
    /// An address was given for the OpenAI routes, but no port.
    #[cfg(feature = "embedded")]
    #[error(
        "--openai-address says where the port of OpenAI's routes is, and they have none of their own: give --openai-port too, \
         or leave it out"
    )]
    OpenAiAddress,
    /// An address was given for the docs page, but no port.
    #[cfg(feature = "embedded")]
    #[error(
        "--docs-address says where the port of the page is, and it has none of its own: give --docs-port too, or leave it out"
    )]
    DocsAddress,
    /// The Vertex AI routes cannot be served. The messages are tritonserver's.
    #[cfg(feature = "embedded")]
    #[error("failed to start Vertex AI service: {0}")]
    VertexAi(String),
    /// The routes of a platform need a port of their own, and a router has none.
    #[cfg(feature = "embedded")]
    #[error(
        "--{option} opens a port of its own, and a router has none: run the server, or remove it"
    )]
    NoPlatform {
        /// The option.
        option: &'static str,
    },
    /// The SageMaker routes cannot be served. The messages are tritonserver's.
    #[cfg(feature = "embedded")]
    #[error("failed to start SageMaker service: {0}")]
    SageMaker(String),
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
    /// The runtime or a signal handler cannot be set up.
    #[error("cannot set up {what}: {source}")]
    System {
        /// What could not be set up.
        what: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The requested output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
    /// The server was stopped before it was ready.
    #[error("{signal} came before the server was ready")]
    NotReady {
        /// The name of the signal, or the call that was made.
        signal: &'static str,
    },
    /// A second signal or call interrupted the stop.
    #[error("{signal} came again: accepted requests were not answered")]
    Interrupted {
        /// The name of the signal, or the call that was made.
        signal: &'static str,
    },
    /// Requests were still being executed when the exit timeout ended.
    #[error(
        "{seconds} seconds were not enough to answer all accepted requests (option --exit-timeout-secs)"
    )]
    Drain {
        /// The exit timeout in seconds.
        seconds: u64,
    },
    /// tritonserver had not completed all requests when the exit timeout ended.
    #[error(
        "{seconds} seconds were not enough to answer all accepted requests: {connections} connections were cut (option \
         --exit-timeout-secs)"
    )]
    Cut {
        /// The exit timeout in seconds.
        seconds: u64,
        /// The number of connections with requests in progress.
        connections: usize,
    },
    /// tritonserver had completed all requests, but did not exit.
    #[cfg(tritonserver)]
    #[error(
        "tritonserver did not end within {seconds} seconds of the signal (option --exit-timeout-secs) and was killed: a model \
         or a trace of its own takes longer"
    )]
    Late {
        /// The exit timeout in seconds.
        seconds: u64,
    },
    /// The requested engine is not available.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The tritonserver engine cannot be started.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// HTTP and gRPC share one port, which tritonserver does not support.
    #[error(
        "tritonserver cannot serve HTTP and gRPC on one port: choose another --grpc-port, or the embedded engine \
         (--engine embedded)"
    )]
    SharedPort,
    /// A function has reported a fatal error.
    #[error(transparent)]
    Broken(#[from] FatalError),
    /// tritonserver died while serving, or did not stop cleanly.
    #[cfg(tritonserver)]
    #[error("tritonserver {exit}")]
    Died {
        /// The exit status and the last output.
        exit: ExitReport,
    },
    /// The tritonserver executable cannot be probed.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// tritonserver cannot be installed.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The model repository cannot be written.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<ResolveError> for ServerError {
    fn from(error: ResolveError) -> Self {
        let error = match error {
            ResolveError::Configuration(mistakes) => return Self::Configuration(mistakes),
            ResolveError::Line(error) => error,
        };
        let text = error.to_string();
        let said = text.split("\n\n").next().unwrap_or_default();
        Self::Arguments(said.strip_prefix("error: ").unwrap_or(said).to_owned())
    }
}
