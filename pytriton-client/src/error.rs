use std::fmt;
use std::time::Duration;

use pytriton_protocol::signature::Change;
use pytriton_protocol::tensor::TensorError;
use thiserror::Error;

/// The error of a client.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server's address is invalid.
    #[error("invalid url `{url}`: {reason}")]
    InvalidUrl {
        /// The address.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The operation timed out.
    #[error("{stage} did not complete within {} s{}", timeout.as_secs_f64(), note(message))]
    Timeout {
        /// The operation.
        stage: Stage,
        /// The time limit.
        timeout: Duration,
        /// The last message from the server or the connection, if any.
        message: String,
    },
    /// No connection to the server could be made; nothing was sent.
    #[error("cannot connect to {address}: {message}")]
    Connect {
        /// The server.
        address: String,
        /// The reason.
        message: String,
    },
    /// The TLS handshake failed, or the TLS options are invalid; nothing was sent.
    #[error("TLS handshake with {address} failed: {message}")]
    Tls {
        /// The server.
        address: String,
        /// The reason.
        message: String,
    },
    /// The connection broke before the response arrived; the server may have processed the request.
    #[error("the connection to {address} was lost: {message}")]
    Lost {
        /// The server.
        address: String,
        /// The cause.
        message: String,
    },
    /// The server does not have the model.
    #[error("model {model} is not available: {message}")]
    ModelUnavailable {
        /// The name and version.
        model: String,
        /// The server's message.
        message: String,
    },
    /// The client is closed.
    #[error("the client is closed")]
    Closed,
    /// A batch was sent to a model without batching.
    #[error("model {model} does not support batching: use `infer_sample`")]
    NoBatching {
        /// The model's name.
        model: String,
    },
    /// The model streams its responses, and this client expects a single one.
    #[error("model {model} is decoupled: use `DecoupledModelClient`")]
    Decoupled {
        /// The model's name.
        model: String,
    },
    /// The model sends a single response, and this client is for streaming models.
    #[error("model {model} is not decoupled: use `ModelClient` or `AsyncModelClient`")]
    Coupled {
        /// The model's name.
        model: String,
    },
    /// The server's model differs from the one that a typed client was compiled for.
    #[error(
        "model {model} of the server differs from the one that this client was compiled for:{}",
        lines(changes)
    )]
    Signature {
        /// The model's name.
        model: String,
        /// The incompatible differences.
        changes: Vec<Change>,
    },
    /// The operation requires gRPC.
    #[error("{what} requires gRPC, but the server is at {address}")]
    OnlyGrpc {
        /// The operation.
        what: &'static str,
        /// The server.
        address: String,
    },
    /// The server or the model's function returned an error.
    #[error("the server responded with {status}: {message}")]
    Server {
        /// The status.
        status: Status,
        /// The message.
        message: String,
    },
    /// The server's response violates the protocol, or the server speaks another protocol than the
    /// URL scheme.
    #[error("the server's response violates the protocol: {message}")]
    Protocol {
        /// The reason.
        message: String,
    },
    /// The queue is full.
    #[error("the queue is full: {limit} requests are waiting")]
    QueueFull {
        /// The maximum number of queued requests.
        limit: usize,
    },
    /// The inputs do not form a valid request for the model.
    #[error("{message}")]
    Inputs {
        /// The reason.
        message: String,
    },
    /// An array cannot be converted to a tensor, or a tensor to the requested array.
    #[error("tensor `{name}`: {source}")]
    Tensor {
        /// The tensor's name.
        name: String,
        /// The reason.
        source: TensorError,
    },
    /// Tensors cannot be sent through shared memory.
    #[error("shared memory: {message}")]
    SharedMemory {
        /// The reason.
        message: String,
    },
    /// An operation on several servers failed on some of them.
    #[error("{} of {of} servers failed: {}", failed.len(), list(failed))]
    Several {
        /// The addresses of the failed servers, with their errors.
        failed: Vec<(String, Self)>,
        /// The number of servers.
        of: usize,
    },
    /// The thread of a blocking client, or of the compression, could not be started.
    #[error("cannot start the client's thread: {message}")]
    Thread {
        /// The reason.
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

/// The operation of a client that timed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Connecting to a server.
    Connect,
    /// Waiting for the server and its model to be ready.
    Readiness,
    /// Waiting for the response to an inference.
    Inference,
    /// Waiting for any other response.
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

/// The status of a server's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// An HTTP status, such as 400.
    Http(u16),
    /// A gRPC status, such as 3 for `INVALID_ARGUMENT`.
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

    /// Returns whether no connection could be made, so that nothing was sent.
    pub(crate) fn is_unconnected(&self) -> bool {
        match self {
            Self::Connect { .. } => true,
            Self::Timeout { stage, .. } => *stage == Stage::Connect,
            _ => false,
        }
    }

    /// Returns whether no server has received the request.
    pub(crate) fn is_unsent(&self) -> bool {
        self.is_unconnected() || matches!(self, Self::Tls { .. })
    }

    /// Classifies an error response about a model.
    pub(crate) fn server(model: &str, status: Status, message: String) -> Self {
        // All messages of Triton and of MLServer about an unavailable model start like this.
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
