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

pub use pytriton_runtime::call::{Cancellation, Context, Responses, WithParameters};
pub use pytriton_runtime::error::{Error, ErrorKind};
pub use pytriton_runtime::half::{bf16, f16};
pub use pytriton_runtime::model::num_cpus;
pub use pytriton_runtime::model_call::Call;
pub use pytriton_runtime::ndarray;
pub use pytriton_runtime::request::{
    Identity, ParameterValue, Parameters, Request, Sequence, SequenceId,
};
pub use pytriton_runtime::server::Triton;
pub use pytriton_runtime::tensor::{DataType, Ragged, Tensor};

// The documentation of the attributes links to them.
#[cfg(doc)]
use crate::{
    calls::*, config::*, decorators::*, error::*, options::*, runtime_models::*, server::*,
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
