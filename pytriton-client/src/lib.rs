#![doc = include_str!("../README.md")]
//! # Modules
//!
//! In the order of a request's path:
//!
//! - [`inputs`], [`options`]: the contents of a request.
//! - [`clients`]: the clients; [`config`]: the model configuration that a server reports.
//! - `shared_memory`: large tensors for a server on the same machine.
//! - `http`, `grpc`: the codecs.
//! - `transport`: connections; [`url`]: addresses.
//! - [`outputs`], [`statistics`]: the contents of a response.

pub mod clients;
pub mod config;
mod deadline;
mod error;
mod grpc;
mod gzip;
mod http;
pub mod inputs;
pub mod options;
pub mod outputs;
mod request;
mod server;
mod servers;
mod shared_memory;
pub mod statistics;
mod transport;
pub mod url;

pub use clients::{
    AsyncDecoupledModelClient, AsyncModelClient, AsyncTyped, Builder, DecoupledModelClient,
    Inference, ModelClient, Pending, PipelinedModelClient, ResponseIter, ResponseStream, Typed,
    TypedInference, TypedResponseIter, TypedResponseStream, UnsentRequest,
};
pub use config::{ModelConfig, TensorConfig};
pub use error::{ClientError, Stage, Status};
pub use inputs::{Inputs, IntoInput, IntoInputs, IntoTensor};
pub use ndarray;
pub use options::{InferOptions, ParameterValue, SequenceId, SequenceStep};
pub use outputs::Outputs;
pub use pytriton_protocol::half::{bf16, f16};
pub use pytriton_protocol::signature::{Change, ModelSignature, TensorSignature};
pub use pytriton_protocol::tensor::{DataType, Element, Tensor, TensorError};
pub use pytriton_protocol::typed;
pub use shared_memory::SharedMemoryRegion;
pub use statistics::{BatchStatistics, Durations, InferenceStatistics, ModelStatistics};
pub use transport::Tls;
pub use url::{Address, Scheme};
