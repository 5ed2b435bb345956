use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::access::AccessError;
use crate::engine::{ChoiceError, ControlError};
use crate::instance::FatalError;
use crate::registry::RegistryError;
use crate::runtime_models::ModelFlaws;
use crate::tls::TlsError;
use crate::trace::TracesError;
#[cfg(tritonserver)]
use crate::triton::install::InstallError;
#[cfg(tritonserver)]
use crate::triton::process::ExitReport;
#[cfg(tritonserver)]
use crate::triton::{EngineError, ProbeError, Version, WriteError};
#[cfg(feature = "embedded")]
use pytriton_embedded::server::EmbeddedError;
use pytriton_engine::options::OptionsError;

/// An error of starting, running or stopping the server.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The binary registers no model.
    #[error(
        "no model is registered: annotate a function with `#[pytriton::model(name = \"…\")]`; to link the models of a library crate, name the crate in the binary: `use my_models as _;`"
    )]
    NoModels,
    /// The log file cannot be opened.
    #[error("cannot write log file '{}': {source}", path.display())]
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
    #[error("{}: {breaking} of these changes break clients; if they are intended, rewrite the file with `list --format json`", file.display())]
    Breaking {
        /// The signature file that clients depend on.
        file: PathBuf,
        /// The number of breaking changes.
        breaking: usize,
    },
    /// Histograms were requested from a tritonserver version that ignores the setting.
    #[cfg(tritonserver)]
    #[error(
        "option --metrics-config: tritonserver {version} does not support `histogram_latencies`, which requires {}: use a later version (--tritonserver PATH) or `--engine embedded`, or remove the setting",
        Version::HISTOGRAMS
    )]
    Histograms {
        /// The version of tritonserver.
        version: Version,
    },
    /// No model is bound for tritonserver.
    #[error("no model is bound: tritonserver needs its models at startup, so call `bind` first")]
    NothingBound,
    /// The model cannot be bound.
    #[error(transparent)]
    Model(#[from] ModelFlaws),
    /// A model cannot be added or removed while tritonserver serves.
    #[error(
        "model '{model}' cannot be {verb} while tritonserver serves: its models are fixed at startup, because a mode that can change them also lets every client load and unload models; call `stop` first, or use the embedded engine"
    )]
    Fixed {
        /// The model.
        model: Arc<str>,
        /// `added` or `removed`, as in the message.
        verb: &'static str,
    },
    /// The model is not bound.
    #[error("version {version} of model '{model}' is not bound")]
    NotBound {
        /// The name of the model.
        model: Arc<str>,
        /// The version of the model.
        version: u32,
    },
    /// The server is running already.
    #[error("the server is already running")]
    Running,
    /// A model still had requests when the exit timeout ended.
    #[error(
        "{seconds} seconds were not enough to complete all accepted requests of model '{model}' (option --exit-timeout-secs)"
    )]
    Unbind {
        /// The model.
        model: Arc<str>,
        /// The exit timeout in seconds.
        seconds: u64,
    },
    /// The options are invalid.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The access options are invalid.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The model control options are invalid.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The embedded engine, or its ports next to a tritonserver, cannot be started.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// Spans cannot be exported.
    #[error("option --traces-exporter: {0}")]
    Traces(TracesError),
    /// The set of models is invalid.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The tritonserver engine does not support the option.
    #[error(
        "the tritonserver engine does not support {option}: use `--engine embedded`, or remove the option"
    )]
    EmbeddedOnly {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// The docs page has a port, but HTTP is disabled for tritonserver.
    #[cfg(tritonserver)]
    #[error(
        "{option} is for the docs page, which requires HTTP with tritonserver: remove it, remove --allow-http=false, or use `--engine embedded`"
    )]
    DocsNoHttp {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// The docs page has a port, but this binary cannot serve the page.
    #[cfg(tritonserver)]
    #[error(
        "{option} is for the docs page, which requires pytriton's feature `embedded` with either engine: remove it"
    )]
    NoDocs {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// A model has OpenAI routes, but this binary cannot serve them.
    #[cfg(tritonserver)]
    #[error(
        "models with `#[openai]` require pytriton's feature `embedded`, which serves the OpenAI routes with either engine: enable it, or set --allow-openai=false"
    )]
    NoTexts,
    /// The runtime or a signal handler cannot be set up.
    #[error("cannot set up {what}: {source}")]
    System {
        /// The part of the system that could not be set up.
        what: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The requested output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
    /// The server was stopped before it was ready.
    #[error("{signal} was received before the server was ready")]
    NotReady {
        /// The name of the signal, or the call that was made.
        signal: &'static str,
    },
    /// A second signal or call interrupted the stop.
    #[error("{signal} was received again: accepted requests were not completed")]
    Interrupted {
        /// The name of the signal, or the call that was made.
        signal: &'static str,
    },
    /// Requests were still being executed when the exit timeout ended.
    #[error(
        "{seconds} seconds were not enough to complete all accepted requests (option --exit-timeout-secs)"
    )]
    Drain {
        /// The exit timeout in seconds.
        seconds: u64,
    },
    /// tritonserver had not completed all requests when the exit timeout ended.
    #[error(
        "{seconds} seconds were not enough to complete all accepted requests: {connections} connections were cut (option --exit-timeout-secs)"
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
        "tritonserver did not exit within {seconds} seconds of the signal (option --exit-timeout-secs) and was killed: one of its own models or traces takes longer"
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
        "tritonserver cannot serve HTTP and gRPC on the same port: choose another --grpc-port, or use the embedded engine (--engine embedded)"
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
