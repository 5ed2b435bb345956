//! The models of `benches/streams`, with responses of 16 bytes.

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream;
use pytriton_runtime::proto::model_infer_response::InferOutputTensor;
use pytriton_runtime::proto::{ModelInferRequest, ModelInferResponse, ModelStreamInferResponse};
use tokio::sync::mpsc;

/// The model that sends the requested number of responses, each produced when the stream is polled.
pub(crate) const MODEL: &str = "Count";
/// The same with a thread that may block, like a model function.
pub(crate) const BLOCKING: &str = "Flow";
/// The model that sends one response.
pub(crate) const ONCE: &str = "Once";

pub(crate) fn responses(
    message: &ModelInferRequest,
) -> impl Stream<Item = ModelStreamInferResponse> + use<> {
    let responses = (0..count(message)).map(|_| crate::streamed(response()));
    stream::iter(responses)
}

/// The capacity of the channel, in responses.
const CHANNEL_CAPACITY: usize = 128;

pub(crate) fn responses_from_thread(
    message: &ModelInferRequest,
) -> impl Stream<Item = ModelStreamInferResponse> + use<> {
    let (sender, mut receiver) = mpsc::channel(CHANNEL_CAPACITY);
    let count = count(message);
    tokio::task::spawn_blocking(move || {
        let mut responses = (0..count).map(|_| crate::streamed(response()));
        // Stops if the receiver is gone.
        let _ = responses.try_for_each(|response| sender.blocking_send(response));
    });
    stream::poll_fn(move |context| receiver.poll_recv(context))
}

fn count(message: &ModelInferRequest) -> i64 {
    let count = message.raw_input_contents.first();
    let count = count.and_then(|count| count.first_chunk().copied());
    i64::from_le_bytes(count.unwrap_or_default())
}

pub(crate) fn response() -> ModelInferResponse {
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
