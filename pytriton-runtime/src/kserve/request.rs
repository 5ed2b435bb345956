use bytes::Bytes;

use crate::model::{InferRequest, ModelSpec, RequestedOutput};

use super::envelope::Envelope;
use super::input::InputDecoder;
use super::json::Value;
use super::member::{missing, string};
use super::output::decode_output;
use super::parameter::RequestParameters;
use super::{CodecError, Owner, ResponseFormat};

/// Reads an inference request: `header_length` bytes of JSON and the binary data of its inputs, which is not copied.
///
/// Source: `EVBufferToInput` in Triton 2.51. A member that stands twice is an error.
///
/// # Errors
///
/// A [`CodecError`] that names the member or the input.
///
/// # Examples
///
/// ```no_run
/// # fn example(model: &pytriton_runtime::model::ModelSpec) -> Result<(), pytriton_runtime::kserve::CodecError> {
/// # use bytes::Bytes;
/// # use pytriton_runtime::kserve::decode_request;
/// let body = Bytes::from(r#"{"inputs":[{"name":"x","datatype":"INT32","shape":[1,2],"data":[[1,2]]}]}"#);
/// let (request, format) = decode_request(&body, body.len(), model, 100)?;
/// # Ok(())
/// # }
/// ```
pub fn decode_request(
    body: &Bytes,
    header_length: usize,
    model: &ModelSpec,
    max_depth: usize,
) -> Result<(InferRequest, ResponseFormat), CodecError> {
    let header_length = header_length.min(body.len());
    let envelope = Envelope::parse(&body[..header_length])?;
    let id = match envelope.id.map(Value::new) {
        Some(id) => string("id", Some(id), || Owner::Request)?,
        None => String::new(),
    };
    let parameters = match envelope.parameters {
        Some(raw) => RequestParameters::decode(raw)?,
        None => RequestParameters::default(),
    };
    let inputs = envelope
        .inputs
        .ok_or_else(|| missing("inputs", "an array", Owner::Request))?;
    let mut decoder = InputDecoder::new(model, max_depth, body.slice(header_length..));
    let inputs = inputs
        .iter()
        .enumerate()
        .map(|(index, members)| decoder.input(index, members))
        .collect::<Result<_, _>>()?;
    decoder.finish()?;
    let outputs = envelope.outputs.unwrap_or_default();
    let outputs: Vec<RequestedOutput> = outputs
        .iter()
        .enumerate()
        .map(|(index, members)| decode_output(index, members))
        .collect::<Result<_, _>>()?;
    let format = ResponseFormat::new(model, &id, &outputs, parameters.binary_data_output);
    let request = InferRequest {
        id,
        parameters: parameters.parameters,
        timeout_microseconds: parameters.timeout_microseconds,
        inputs,
        outputs,
    };
    Ok((request, format))
}
