//! The models of `benches/streams`, whose answers are 16 bytes.

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream;
use pytriton_runtime::proto::model_infer_response::InferOutputTensor;
use pytriton_runtime::proto::{ModelInferRequest, ModelInferResponse, ModelStreamInferResponse};

/// As many answers as it is told.
pub(crate) const MODEL: &str = "Count";
/// One answer.
pub(crate) const ONCE: &str = "Once";

pub(crate) fn answers(
    message: &ModelInferRequest,
) -> impl Stream<Item = ModelStreamInferResponse> + use<> {
    let count = message.raw_input_contents.first();
    let count = count.and_then(|count| count.first_chunk().copied());
    let count = i64::from_le_bytes(count.unwrap_or_default());
    stream::iter((0..count).map(|_| crate::streamed(answer())))
}

pub(crate) fn answer() -> ModelInferResponse {
    let output = InferOutputTensor {
        name: "OUTPUT_1".to_owned(),
        datatype: "FP32".to_owned(),
        shape: vec![4],
        ..InferOutputTensor::default()
    };
    let values = [0.5_f32; 4].map(f32::to_le_bytes);
    ModelInferResponse {
        model_name: MODEL.to_owned(),
        model_version: "1".to_owned(),
        outputs: vec![output],
        raw_output_contents: vec![Bytes::copy_from_slice(values.as_flattened())],
        ..ModelInferResponse::default()
    }
}
