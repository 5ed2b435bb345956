use std::path::PathBuf;
use std::sync::Arc;

use pytriton_core::instance::FatalError;
use pytriton_core::registry::RegistryError;
use pytriton_core::runtime_models::ModelFlaws;
use pytriton_core::shared_state::{DuplicateState, StateType};
#[cfg(feature = "embedded")]
use pytriton_embedded::{metrics::ProgramMetricsError, server::EmbeddedError};
use pytriton_engine::options::OptionsError;
use pytriton_engine::trace::TracesError;
#[cfg(tritonserver)]
use pytriton_tritonserver::server::TritonserverError;
use thiserror::Error;

use crate::engine::ChoiceError;

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
        "the accepted requests of model '{model}' were not completed within {seconds} seconds (option --exit-timeout-secs)"
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
    /// The embedded engine, or its ports next to a tritonserver, cannot be started.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// The metrics of the program cannot be served.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Metrics(#[from] ProgramMetricsError),
    /// The tritonserver engine cannot be started, or did not end well.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Tritonserver(#[from] TritonserverError),
    /// Spans cannot be exported.
    #[error("option --traces-exporter: {0}")]
    Traces(TracesError),
    /// The set of models is invalid.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A function of the program failed when the server started or stopped, or a second signal
    /// arrived before it returned.
    #[error("the {hook} hook failed: {source}")]
    Hook {
        /// `start` or `stop`, as in the message.
        hook: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The program provides two states of one type.
    #[error(transparent)]
    DuplicateState(#[from] DuplicateState),
    /// A function of the program could not create a state.
    #[error("cannot create the state of type `{ty}`: {source}")]
    State {
        /// The type of the state.
        ty: StateType,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
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
        "accepted requests were not completed within {seconds} seconds (option --exit-timeout-secs)"
    )]
    Drain {
        /// The exit timeout in seconds.
        seconds: u64,
    },
    /// The requested engine is not available.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A function has reported a fatal error.
    #[error(transparent)]
    Broken(#[from] FatalError),
}

/// Returns the first error, and logs the others.
pub(super) fn first_error(
    results: impl IntoIterator<Item = Result<(), ServerError>>,
) -> Result<(), ServerError> {
    let mut errors = results.into_iter().filter_map(Result::err);
    let Some(first) = errors.next() else {
        return Ok(());
    };
    for error in errors {
        tracing::error!("{error}");
    }
    Err(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_results_are_computed_and_the_first_error_is_returned() {
        let mut count = 0;
        let results = [None, Some(1), None, Some(2)].into_iter().map(|seconds| {
            count += 1;
            seconds.map_or(Ok(()), |seconds| Err(ServerError::Drain { seconds }))
        });
        let error = first_error(results).unwrap_err();
        assert!(
            matches!(error, ServerError::Drain { seconds: 1 }),
            "{error}"
        );
        assert_eq!(count, 4);
        first_error([Ok(())]).unwrap();
    }
}
