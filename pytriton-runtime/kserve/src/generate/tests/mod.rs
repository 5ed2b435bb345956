//! Requests and responses of the generate extension.

mod answer;
mod mistakes;
mod random;
mod request;

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_core::request::InferRequest;
use pytriton_core::testing::IDENTITY;
use pytriton_protocol::tensor::DataType;

use crate::error::CodecError;

use super::*;

fn tensor(name: &str, datatype: DataType, dims: &[i64]) -> TensorSpec {
    TensorSpec::new(name, datatype, dims).optional(true)
}

/// A model without batching, with inputs of all kinds.
fn model() -> ModelSpec {
    let mut model = IDENTITY.spec().unwrap();
    model.max_batch_size = 0;
    let types = DataType::ALL.iter();
    let types = types.map(|datatype| tensor(&datatype.name().to_lowercase(), *datatype, &[-1]));
    model.inputs = types
        .chain([
            tensor("one", DataType::Int32, &[1]),
            tensor("square", DataType::Int32, &[-1, 2, 2]),
            tensor("open", DataType::Int32, &[-1, -1]),
        ])
        .collect();
    model
}

fn decode(text: &str) -> Result<InferRequest, CodecError> {
    decode_generate_request(
        text.as_bytes(),
        &model(),
        100,
        InferRequest::new(MemoryPermit::unlimited()),
    )
}
