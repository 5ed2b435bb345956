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
#[cfg(feature = "embedded")]
use crate::metrics::MetricsConfigError;
use crate::registry::RegistryError;
use crate::runner::Breakdown;
#[cfg(feature = "embedded")]
use crate::serving::LoadError;
#[cfg(feature = "embedded")]
use crate::timeline::TraceConfigError;
use crate::tls::TlsError;
use crate::trace::TracesError;
#[cfg(tritonserver)]
use crate::triton::install::InstallError;
#[cfg(tritonserver)]
use crate::triton::process::Exit;
#[cfg(tritonserver)]
use crate::triton::{EngineError, ProbeError, Version, WriteError};

use super::settings::{Mistakes, ResolveError};

/// Why the server cannot start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The binary has no model.
    #[error(
        "no model is registered: annotate a function with `#[pytriton::model(name = \"…\")]`; those of a library crate are linked where the binary names it, `use my_models as _;`"
    )]
    NoModels,
    /// A log file that cannot be written.
    #[error("log file '{}' cannot be written: {source}", path.display())]
    LogFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of signatures that is none.
    #[error("{}: {message}", file.display())]
    LockFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Models that their callers do not get along with.
    #[error("{}: {breaking} of these changes break callers; if they are meant, write the file anew with `list --format json`", file.display())]
    Breaking {
        /// The file of signatures that callers depend on.
        file: PathBuf,
        /// How many changes do.
        breaking: usize,
    },
    /// Traces that cannot be as `--trace-config` wants them.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Trace(#[from] TraceConfigError),
    /// Histograms that tritonserver would pass over without a word.
    #[cfg(tritonserver)]
    #[error(
        "option --metrics-config: tritonserver {version} has no `histogram_latencies`, which is of {}: take a later one (--tritonserver PATH) or `--engine embedded`, or leave it out",
        Version::HISTOGRAMS
    )]
    Histograms {
        /// Its version.
        version: Version,
    },
    /// There is nothing that tritonserver could be started with.
    #[error(
        "no model is bound: tritonserver is started with the models that it serves, call `bind` before"
    )]
    NothingBound,
    /// A model cannot be bound as it is.
    #[error(transparent)]
    Model(#[from] ModelFlaws),
    /// A model of the tritonserver engine that is to come or go while it serves.
    #[error(
        "model '{model}' cannot {verb} while tritonserver serves: its models are fixed when it starts, because whoever could \
         reach it could then load and unload models too; call `stop` before, or take the embedded engine"
    )]
    Fixed {
        /// The model.
        model: Arc<str>,
        /// `come` or `go`.
        verb: &'static str,
    },
    /// There is no such model.
    #[error("no model '{model}' of version {version} is bound")]
    NotBound {
        /// Its name.
        model: Arc<str>,
        /// Its version.
        version: u32,
    },
    /// It is started a second time.
    #[error("the server runs already")]
    Running,
    /// A model that was taken out still had requests when its time was over.
    #[error(
        "{seconds} seconds were not enough to answer all accepted requests of model '{model}' (option --exit-timeout-secs)"
    )]
    Unbind {
        /// The model.
        model: Arc<str>,
        /// The time there was.
        seconds: u64,
    },
    /// Groups of routes cannot be closed as the options say.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// Options that cannot be read.
    #[error("{0}")]
    Arguments(String),
    /// There is no TLS as it is asked for.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Spans cannot go where they should.
    #[error("option --traces-exporter: {0}")]
    Traces(TracesError),
    /// A file with options, or a variable that a platform sets, has mistakes.
    #[error(transparent)]
    Configuration(#[from] Mistakes),
    /// The models do not go together.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A model cannot be started.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The options about models cannot be followed.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// There is no response cache of that description.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Cache(#[from] CacheConfigError),
    /// There are no metrics of that description.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Metrics(#[from] MetricsConfigError),
    /// There is no way to serve as the options say.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Options(#[from] UnsupportedOptions),
    /// An option that only the other engine can honour.
    #[error(
        "the tritonserver engine cannot honour {option}: take `--engine embedded`, which can, or leave it out"
    )]
    EmbeddedOnly {
        /// With its dashes.
        option: &'static str,
    },
    /// Neither HTTP nor gRPC is to be served. The text is PyTriton's.
    #[error("The `http` or `grpc` endpoint has to be allowed.")]
    NoEndpoint,
    /// A model has OpenAI's routes, and tritonserver is not to be asked over HTTP.
    #[cfg(tritonserver)]
    #[error(
        "models under `#[openai]` need HTTP beside tritonserver: leave out --allow-http=false, take `--engine embedded`, or \
         close their routes with --allow-openai=false"
    )]
    NoHttp,
    /// The page has a port, and tritonserver is not to be asked over HTTP.
    #[cfg(tritonserver)]
    #[error(
        "{option} is for the page, which needs HTTP beside tritonserver: leave it out, leave out --allow-http=false, or take \
         `--engine embedded`"
    )]
    DocsNoHttp {
        /// With its dashes.
        option: &'static str,
    },
    /// The page has a port, and what serves it is not in this binary.
    #[cfg(tritonserver)]
    #[error(
        "{option} is for the page, which needs pytriton's feature `embedded`, beside tritonserver too: leave it out"
    )]
    NoDocs {
        /// With its dashes.
        option: &'static str,
    },
    /// A model has OpenAI's routes, and what serves them is not in this binary.
    #[cfg(tritonserver)]
    #[error(
        "models under `#[openai]` need pytriton's feature `embedded`, which serves OpenAI's routes beside tritonserver too, or \
         --allow-openai=false"
    )]
    NoTexts,
    /// A model has OpenAI's routes, and there is no port for them.
    #[cfg(feature = "embedded")]
    #[error(
        "models under `#[openai]` are served on the port for HTTP: leave out --allow-http=false, give them a port of their own \
         with --openai-port, or close their routes with --allow-openai=false"
    )]
    OpenAiNowhere,
    /// An address for a port that there is not.
    #[cfg(feature = "embedded")]
    #[error(
        "--openai-address says where the port of OpenAI's routes is, and they have none of their own: give --openai-port too, \
         or leave it out"
    )]
    OpenAiAddress,
    /// An address for a port that there is not.
    #[cfg(feature = "embedded")]
    #[error(
        "--docs-address says where the port of the page is, and it has none of its own: give --docs-port too, or leave it out"
    )]
    DocsAddress,
    /// Vertex AI's routes cannot be served. The texts are tritonserver's.
    #[cfg(feature = "embedded")]
    #[error("failed to start Vertex AI service: {0}")]
    VertexAi(String),
    /// A platform's routes have a port of their own, and a router has none.
    #[cfg(feature = "embedded")]
    #[error(
        "--{option} opens a port of its own, and a router has none: run the server, or remove it"
    )]
    NoPlatform {
        /// The option.
        option: &'static str,
    },
    /// SageMaker's routes cannot be served. The texts are tritonserver's.
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
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The runtime or a signal handler cannot be set up.
    #[error("cannot set up {what}: {source}")]
    System {
        /// What.
        what: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// What was asked for cannot be told.
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
    /// A signal came before the server was ready.
    #[error("{signal} came before the server was ready")]
    NotReady {
        /// The signal's name, or the call that was made.
        signal: &'static str,
    },
    /// A second signal came while the server was stopping.
    #[error("{signal} came again: accepted requests were not answered")]
    Interrupted {
        /// The signal's name, or the call that was made.
        signal: &'static str,
    },
    /// Requests were still being executed when the time to stop was over.
    #[error(
        "{seconds} seconds were not enough to answer all accepted requests (option --exit-timeout-secs)"
    )]
    Drain {
        /// The time there was.
        seconds: u64,
    },
    /// tritonserver had not answered all requests when the time to stop was over.
    #[error(
        "{seconds} seconds were not enough to answer all accepted requests: {connections} connections were cut (option \
         --exit-timeout-secs)"
    )]
    Cut {
        /// The time there was.
        seconds: u64,
        /// How many connections still had something under way.
        connections: usize,
    },
    /// tritonserver had answered all requests, and did not end.
    #[cfg(tritonserver)]
    #[error(
        "tritonserver did not end within {seconds} seconds of the signal (option --exit-timeout-secs) and was killed: a model \
         or a trace of its own takes longer"
    )]
    Late {
        /// The time there was.
        seconds: u64,
    },
    /// There is no tritonserver although there must be one.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The tritonserver engine does not start.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// tritonserver has one port for each protocol.
    #[error(
        "tritonserver cannot serve HTTP and gRPC on one port: choose another --grpc-port, or the embedded engine \
         (--engine embedded)"
    )]
    SharedPort,
    /// A function has said that it can never answer again.
    #[error(transparent)]
    Broken(#[from] Breakdown),
    /// tritonserver died while it was serving, or did not stop well.
    #[cfg(tritonserver)]
    #[error("tritonserver {exit}")]
    Died {
        /// How, and its own words.
        exit: Exit,
    },
    /// tritonserver cannot be asked for its version.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// tritonserver cannot be installed.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The models cannot be written down for tritonserver.
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
