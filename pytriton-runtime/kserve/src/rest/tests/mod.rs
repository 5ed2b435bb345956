//! The codecs for requests and responses together.

mod bounds;
mod decode;
mod encode;
mod mistakes;
mod round_trip;

use bytes::Bytes;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::request::{InferRequest, Response};
use pytriton_core::shared_memory::Regions;
use pytriton_core::testing::IDENTITY;
use pytriton_protocol::tensor::Tensor;

use crate::CodecError;

use super::*;

fn model() -> ModelSpec {
    IDENTITY.spec().unwrap()
}

fn decode(text: &str) -> Result<(InferRequest, ResponseFormat), CodecError> {
    decode_with(text, b"")
}

/// A body without a limit on its memory.
fn received(body: impl Into<Bytes>) -> ReceivedBody {
    ReceivedBody::new(body.into(), MemoryPermit::unlimited()).unwrap()
}

fn decode_with(header: &str, tail: &[u8]) -> Result<(InferRequest, ResponseFormat), CodecError> {
    let body = Bytes::from([header.as_bytes(), tail].concat());
    decode_request(
        received(body),
        header.len(),
        &model(),
        100,
        &Regions::default(),
    )
}

/// A request with one FP32 input `x` of shape `[1,2]` and these additional members.
fn input(members: &str) -> String {
    format!(r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,2],{members}}}]}}"#)
}

fn encode(format: &ResponseFormat, tensor: Tensor) -> Result<EncodedResponse, CodecError> {
    let response = Response::new(vec![(0, tensor.into())].into());
    ResponseWriter::new(&model()).write(format, &response, MemoryPermit::unlimited())
}
