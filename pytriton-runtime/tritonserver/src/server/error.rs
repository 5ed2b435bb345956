use std::sync::Arc;

use pytriton_core::registry::RegistryError;
use pytriton_core::shared_state::RequiredState;
use pytriton_engine::access::AccessError;
use pytriton_engine::options::{ControlError, NoTritonserver, OptionsError};
use pytriton_engine::tls::TlsError;
use thiserror::Error;

use crate::triton::install::InstallError;
use crate::triton::process::ExitReport;
use crate::triton::{EngineError, LocateError, ProbeError, Version, WriteError};

/// No tritonserver can be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FindError {
    /// This binary has no tritonserver engine.
    #[error(transparent)]
    NoTritonserver(#[from] NoTritonserver),
    /// No tritonserver was found.
    #[error("{0}; the command `install` downloads one")]
    Locate(#[from] LocateError),
    /// The tritonserver does not run.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// The tritonserver engine cannot be started, or did not end well.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TritonserverError {
    /// No tritonserver can be used.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The options are invalid.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The model control options are invalid.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The access options are invalid.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The set of models is invalid.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// No model is bound for tritonserver.
    #[error("no model is bound: tritonserver needs its models at startup, so call `bind` first")]
    NothingBound,
    /// The tritonserver engine does not support the option.
    #[error(
        "the tritonserver engine does not support {option}: use `--engine embedded`, or remove the option"
    )]
    EmbeddedOnly {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// HTTP and gRPC share one port, which tritonserver does not support.
    #[error(
        "tritonserver cannot serve HTTP and gRPC on the same port: choose another --grpc-port, or use the embedded engine (--engine embedded)"
    )]
    SharedPort,
    /// Histograms were requested from a tritonserver version that ignores the setting.
    #[error(
        "option --metrics-config: tritonserver {version} does not support `histogram_latencies`, which requires {}: use a later version (--tritonserver PATH) or `--engine embedded`, or remove the setting",
        Version::HISTOGRAMS
    )]
    Histograms {
        /// The version of tritonserver.
        version: Version,
    },
    /// The docs page has a port, but HTTP is disabled for tritonserver.
    #[error(
        "{option} configures the docs page, which requires HTTP with tritonserver: remove it, remove --allow-http=false, or use `--engine embedded`"
    )]
    DocsNoHttp {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// The docs page has a port, but this binary cannot serve the page.
    #[error(
        "{option} configures the docs page, which requires pytriton's feature `embedded` with either engine: remove it"
    )]
    NoDocs {
        /// The option, with its dashes.
        option: &'static str,
    },
    /// A model calls another model, and this binary has no embedded engine.
    #[error(
        "model '{model}' calls other models, which requires pytriton's feature `embedded` with either engine: enable it"
    )]
    NoCalls {
        /// The model.
        model: Arc<str>,
    },
    /// A model takes the identity of the client, which tritonserver does not pass on.
    #[error(
        "model '{model}' takes the identity of the client, which tritonserver does not pass on: use `--engine embedded`, or take no `&Identity` (at run time: remove `by_identity()`)"
    )]
    Identity {
        /// The model.
        model: Arc<str>,
    },
    /// A native backend has no queue for the models that a model calls.
    #[error(
        "model '{model}' calls other models, which a native backend cannot do: serve it with `main!`, or put it in another library"
    )]
    NativeCalls {
        /// The model.
        model: Arc<str>,
    },
    /// tritonserver does not pass on the identity of the client to a native backend.
    #[error(
        "model '{model}' takes the identity of the client, which a native backend does not know: take no `&Identity`, or put the model in another library"
    )]
    NativeIdentity {
        /// The model.
        model: Arc<str>,
    },
    /// A native backend has no program that provides states.
    #[error(
        "model '{model}' takes the state {state}, which a native backend cannot provide: create it in `#[load]` or in a `static`, or put the model in another library"
    )]
    NativeStates {
        /// The model.
        model: Arc<str>,
        /// The parameter and its type.
        state: RequiredState,
    },
    /// A model has OpenAI routes, but this binary cannot serve them.
    #[error(
        "models with `#[openai]` require pytriton's feature `embedded`, which serves the OpenAI routes with either engine: enable it, or set --allow-openai=false"
    )]
    NoTexts,
    /// The tritonserver engine cannot be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// tritonserver had not completed all requests when the exit timeout ended.
    #[error(
        "accepted requests were not completed within {seconds} seconds: {connections} connections were closed (option --exit-timeout-secs)"
    )]
    Cut {
        /// The exit timeout in seconds.
        seconds: u64,
        /// The number of connections with requests in progress.
        connections: usize,
    },
    /// tritonserver had completed all requests, but did not exit.
    #[error(
        "tritonserver did not exit within {seconds} seconds of the signal (option --exit-timeout-secs) and was killed: one of its own models or traces takes longer"
    )]
    Late {
        /// The exit timeout in seconds.
        seconds: u64,
    },
    /// tritonserver died while serving, or did not stop cleanly.
    #[error("tritonserver {exit}")]
    Died {
        /// The exit status and the last output.
        exit: ExitReport,
    },
    /// The tritonserver executable cannot be probed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// tritonserver cannot be installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The model repository cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
