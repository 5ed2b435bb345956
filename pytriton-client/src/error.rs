use std::fmt;
use std::time::Duration;

use pytriton_protocol::signature::Change;
use pytriton_protocol::tensor::TensorError;
use thiserror::Error;

/// Why a client has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address of the server is none.
    #[error("invalid url `{url}`: {reason}")]
    InvalidUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It took too long.
    #[error("{stage} did not end within {} s{}", timeout.as_secs_f64(), note(message))]
    Timeout {
        /// What did.
        stage: Stage,
        /// How long it could take.
        timeout: Duration,
        /// What was heard last, if anything.
        message: String,
    },
    /// No connection to the server; nothing has been sent.
    #[error("cannot connect to {address}: {message}")]
    Connect {
        /// The server.
        address: String,
        /// Why not.
        message: String,
    },
    /// No TLS with the server, or none can be made of what was given; nothing has been sent.
    #[error("no TLS with {address}: {message}")]
    Tls {
        /// The server.
        address: String,
        /// Why not.
        message: String,
    },
    /// The connection broke before the answer came; whether the request was served is not known.
    #[error("the connection to {address} broke: {message}")]
    Lost {
        /// The server.
        address: String,
        /// How.
        message: String,
    },
    /// The server does not have the model.
    #[error("model {model} is not available: {message}")]
    ModelUnavailable {
        /// Its name and version.
        model: String,
        /// The server's words.
        message: String,
    },
    /// The client has been closed.
    #[error("the client is closed")]
    Closed,
    /// A batch was given to a model that takes none.
    #[error("model {model} does not support batching: use `infer_sample`")]
    NoBatching {
        /// Its name.
        model: String,
    },
    /// The model answers any number of times, and this client takes one answer.
    #[error("model {model} is decoupled: use `DecoupledModelClient`")]
    Decoupled {
        /// Its name.
        model: String,
    },
    /// The model answers once, and this client is for those that answer any number of times.
    #[error("model {model} is not decoupled: use `ModelClient` or `AsyncModelClient`")]
    Coupled {
        /// Its name.
        model: String,
    },
    /// The server's model is not the one that a typed client was compiled for.
    #[error(
        "model {model} of the server is not what this client was compiled for:{}",
        lines(changes)
    )]
    Signature {
        /// Its name.
        model: String,
        /// What of it is in the client's way.
        changes: Vec<Change>,
    },
    /// What the client does goes over gRPC alone.
    #[error("{what} goes over gRPC alone, and the server is at {address}")]
    OnlyGrpc {
        /// What it does.
        what: &'static str,
        /// The server.
        address: String,
    },
    /// The server, or the model's function, says that something is wrong.
    #[error("the server answered {status}: {message}")]
    Server {
        /// Its code.
        status: Status,
        /// Its words.
        message: String,
    },
    /// The server's answer is none of the protocol, or it speaks another one than the scheme says.
    #[error("the server's answer is not of the protocol: {message}")]
    Protocol {
        /// What is wrong with it.
        message: String,
    },
    /// As many requests wait as may.
    #[error("the queue is full: {limit} requests wait")]
    QueueFull {
        /// How many may.
        limit: usize,
    },
    /// What was given is no request of the model.
    #[error("{message}")]
    Inputs {
        /// What is wrong with it.
        message: String,
    },
    /// An array is no tensor, or a tensor no such array.
    #[error("tensor `{name}`: {source}")]
    Tensor {
        /// Which.
        name: String,
        /// What is wrong with it.
        source: TensorError,
    },
    /// Tensors cannot go through shared memory.
    #[error("shared memory: {message}")]
    SharedMemory {
        /// Why not.
        message: String,
    },
    /// What each of several servers was to do failed on some.
    #[error("{} of {of} servers failed: {}", failed.len(), list(failed))]
    Several {
        /// Their addresses, and why.
        failed: Vec<(String, Self)>,
        /// How many there are.
        of: usize,
    },
    /// There is no thread for a blocking client, or for what compresses.
    #[error("cannot start the client's thread: {message}")]
    Thread {
        /// Why not.
        message: String,
    },
}

fn lines(changes: &[Change]) -> String {
    changes
        .iter()
        .map(|change| format!("\n  {change}"))
        .collect()
}

fn note(message: &str) -> String {
    match message {
        "" => String::new(),
        message => format!(": {message}"),
    }
}

fn list(failed: &[(String, ClientError)]) -> String {
    let each = failed.iter();
    let each = each.map(|(address, error)| format!("{address}: {error}"));
    each.collect::<Vec<_>>().join("; ")
}

/// What a client was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Connecting to a server.
    Connect,
    /// Waiting for a server and its model to be ready.
    Readiness,
    /// Waiting for an answer to an inference.
    Inference,
    /// Waiting for any other answer.
    Request,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Readiness => "waiting for the server and the model to be ready",
            Self::Inference => "the inference",
            Self::Request => "the request",
        })
    }
}

/// The code of a server's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Of HTTP, such as 400.
    Http(u16),
    /// Of gRPC, such as 3 for `INVALID_ARGUMENT`.
    Grpc(i32),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(code) => write!(f, "{code}"),
            Self::Grpc(code) => write!(f, "{:?}", tonic::Code::from_i32(*code)),
        }
    }
}

impl ClientError {
    pub(crate) fn inputs(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Inputs { message }
    }

    pub(crate) fn protocol(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Protocol { message }
    }

    pub(crate) fn tensor(name: &str) -> impl FnOnce(TensorError) -> Self {
        |source| Self::Tensor {
            name: name.to_owned(),
            source,
        }
    }

    /// Whether there was no connection, so that nothing has been sent.
    pub(crate) fn is_unconnected(&self) -> bool {
        match self {
            Self::Connect { .. } => true,
            Self::Timeout { stage, .. } => *stage == Stage::Connect,
            _ => false,
        }
    }

    /// Whether no server has seen the request.
    pub(crate) fn is_unsent(&self) -> bool {
        self.is_unconnected() || matches!(self, Self::Tls { .. })
    }

    /// What the server said of a model, with its code.
    pub(crate) fn server(model: &str, status: Status, message: String) -> Self {
        // The one beginning of all of Triton's messages about a model that it cannot run, and all of MLServer's.
        let unknown = message.starts_with("Request for unknown model");
        match unknown || message.starts_with("Model ") && message.ends_with(" not found") {
            true => Self::ModelUnavailable {
                model: model.to_owned(),
                message,
            },
            false => Self::Server { status, message },
        }
    }
}
