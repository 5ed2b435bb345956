//! The API of programs that serve models.

pub(crate) mod batching;
mod exports;
pub(crate) mod model;
#[cfg(feature = "onnx")]
mod onnx;
mod openai;
mod program;
pub(crate) mod state;
pub(crate) mod tensors;
#[cfg(feature = "embedded")]
mod testing;

pub use pytriton_runtime::call::{
    Cancellation, Cancelled, Context, ModelError, Responses, WithParameters,
};
pub use pytriton_runtime::decorators::*;
pub use pytriton_runtime::engine::EngineChoice;
pub use pytriton_runtime::error::{CallError, Error, ErrorKind, IntoError};
pub use pytriton_runtime::half::{bf16, f16};
pub use pytriton_runtime::model::{
    Batcher, BatcherOptions, Device, InstanceGroup, InstanceGroups, ModelSpec, QueuePolicy,
    SequenceScheduling, TensorSpec, TimeoutAction, VersionPolicy, Warmup, WarmupData, WarmupInput,
    num_cpus,
};
pub use pytriton_runtime::model_call::{Call, CallResponses, PendingCall};
pub use pytriton_runtime::ndarray;
pub use pytriton_runtime::port::Port;
pub use pytriton_runtime::request::{
    Identity, ParameterValue, Parameters, Request, Sequence, SequenceId,
};
pub use pytriton_runtime::runtime_models::{
    CallUnit, Flaw, Function, FunctionCall, FunctionMode, Input, IntoOutputs, IntoResponses, Model,
    ModelFlaws, Named, Output, PerBatch, PerRequest, Raw, StackedUnit, Stateful,
};
#[cfg(feature = "embedded")]
pub use pytriton_runtime::server::Router;
pub use pytriton_runtime::server::{
    Addresses, App, ArgumentClash, Builder, Options, PortAddress, ServerError, Triton,
};
pub use pytriton_runtime::tensor::{
    DataType, Element, OffsetsError, Ragged, RaggedRows, Tensor, TensorError,
};

pub use batching::*;
pub use exports::backend;
#[cfg(feature = "python")]
pub use exports::python;
pub use model::model;
#[cfg(feature = "onnx")]
pub use onnx::onnx;
pub use openai::openai;
pub use program::Cli;
pub use state::*;
pub use tensors::*;
#[cfg(feature = "embedded")]
pub use testing::test;
