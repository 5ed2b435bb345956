use std::path::PathBuf;
use std::sync::Arc;

use pytriton_protocol::signature::onnx::{BatchAxisError, OnnxError};
use pytriton_protocol::tensor::{DataType, TensorError};

/// The maximum length of a runtime's message in the log.
const MAX_LOGGED_CHARS: usize = 2000;

/// A network cannot be loaded or run.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: Arc<std::io::Error>,
    },
    /// The file is not an ONNX model.
    #[error("the file is not valid")]
    File {
        /// The cause.
        source: OnnxError,
    },
    /// The runtime does not support an element type.
    #[error("{runtime} does not support {datatype}, the element type of `{tensor}`")]
    Element {
        /// The runtime.
        runtime: &'static str,
        /// The input or output.
        tensor: String,
        /// Its datatype.
        datatype: DataType,
    },
    /// The runtime cannot load the network.
    #[error("{runtime} cannot load the network: {message}")]
    Load {
        /// The runtime.
        runtime: &'static str,
        /// The runtime's error with its causes.
        message: String,
    },
    /// Axis 0 is not a batch.
    #[error("the network has no batch axis")]
    BatchAxis {
        /// The cause.
        #[from]
        source: BatchAxisError,
    },
    /// No runtime is compiled in.
    #[error(
        "no runtime for ONNX files is compiled in: enable the feature `tract` of `pytriton-onnx`"
    )]
    NoRuntime,
    /// The caller passed another number of inputs.
    #[error("the network has {expected} inputs, found {found}")]
    Inputs {
        /// The number of inputs of the network.
        expected: usize,
        /// The number of inputs of the call.
        found: usize,
    },
    /// An input has another type than that of the network.
    #[error("expected the input `{expected}`, found {found} {shape:?}")]
    Input {
        /// The name and type of the input.
        expected: String,
        /// The datatype that the caller passed.
        found: DataType,
        /// The shape that the caller passed.
        shape: Vec<usize>,
    },
    /// Two dimensions of inputs must have the same size, and do not.
    #[error("{dimension} is {expected} in `{first}` and {found} in `{other}`")]
    Sizes {
        /// The name of the dimensions, or `axis 0` for a batch.
        dimension: String,
        /// The name and type of the first input.
        first: String,
        /// Its size.
        expected: usize,
        /// The name and type of the other input.
        other: String,
        /// Its size.
        found: usize,
    },
    /// The runtime cannot run the network with these inputs.
    #[error("{runtime} cannot run the network")]
    Run {
        /// The runtime.
        runtime: &'static str,
        /// The runtime's error with its causes, for [`log`](Self::log). It may contain values of
        /// all rows, so clients must not receive it.
        message: String,
    },
    /// An output is not an array of the expected type.
    #[error("an output has another type than the file states")]
    Output {
        /// The cause.
        #[from]
        source: TensorError,
    },
}

impl Error {
    /// Returns whether the caller's inputs are the cause: the status for a client is 400.
    pub fn is_invalid_argument(&self) -> bool {
        matches!(
            self,
            Self::Inputs { .. } | Self::Input { .. } | Self::Sizes { .. }
        )
    }

    /// Logs the message of [`Error::Run`] with the name of the model. Clients receive only the
    /// short text of the error.
    pub fn log(&self, model: &str) {
        if let Self::Run { runtime, message } = self {
            let error = format!("{message:.MAX_LOGGED_CHARS$}");
            tracing::warn!(
                model,
                error = error.as_str(),
                "{runtime} cannot run the network"
            );
        }
    }
}
