use bytes::Bytes;
use pytriton_core::model::ModelSpec;
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::request::{InferInput, InferRequest, RequestedOutput};
use pytriton_core::shared_memory::{Regions, Shared};

use crate::error::{CodecError, Owner};
use crate::json::Value;

use super::ResponseFormat;
use super::common_form::decode_common_form;
use super::envelope::Envelope;
use super::input::InputDecoder;
use super::member::{missing, string};
use super::output::OutputDecoder;
use super::parameter::decode_parameters;

/// Decodes an inference request: `header_length` bytes of JSON, and the binary data of its inputs,
/// which is not copied.
///
/// The reservation of the body grows before memory is allocated, and covers the request afterwards.
///
/// Source: `EVBufferToInput` in Triton 2.51. In addition, a duplicate member is an error.
///
/// # Errors
///
/// Returns [`CodecError::Budget`] if the memory cannot be reserved, or another [`CodecError`] that
/// names the member or the input.
///
/// # Examples
///
/// ```no_run
/// # fn example(model: &pytriton_core::model::ModelSpec) -> Result<(), pytriton_kserve::CodecError> {
/// # use bytes::Bytes;
/// # use pytriton_core::received_body::ReceivedBody;
/// # use pytriton_kserve::decode_request;
/// let body = Bytes::from(r#"{"inputs":[{"name":"x","datatype":"INT32","shape":[1,2],"data":[[1,2]]}]}"#);
/// let regions = pytriton_core::shared_memory::Regions::default();
/// let permit = pytriton_core::memory_budget::MemoryBudget::new(1 << 20).empty_permit();
/// let (length, body) = (body.len(), ReceivedBody::new(body, permit)?);
/// let (request, format) = decode_request(body, length, model, 100, &regions)?;
/// # Ok(())
/// # }
/// ```
pub fn decode_request(
    body: ReceivedBody,
    header_length: usize,
    model: &ModelSpec,
    max_depth: usize,
    regions: &Regions,
) -> Result<(InferRequest, ResponseFormat), CodecError> {
    let header_length = header_length.min(body.len());
    let (body, mut request) = body.into_request();
    let (json, tail) = (&body[..header_length], body.slice(header_length..));
    match decode(json, tail, model, max_depth, regions, &mut request) {
        Ok(format) => Ok((request, format)),
        Err(error) => {
            let headless = without_header(json, model, max_depth, regions, &mut request);
            Err(headless.unwrap_or(error))
        }
    }
}

/// Finds the input whose binary data was sent without the header for the length of the JSON part.
fn without_header(
    json: &[u8],
    model: &ModelSpec,
    max_depth: usize,
    regions: &Regions,
    request: &mut InferRequest,
) -> Option<CodecError> {
    // RapidJSON treats a zero byte, which JSON does not allow, as the end of the text.
    let end = json.iter().position(|byte| *byte == 0)?;
    let json = &json[..end];
    let error = decode(json, Bytes::new(), model, max_depth, regions, request).err()?;
    matches!(error, CodecError::MissingBytes { .. }).then_some(error)
}

/// In longer texts, detecting an unusual form at the end would cost too much.
const MAX_FAST_PATH_BYTES: usize = 8 << 10;

/// Returns whether nothing follows the data of the last input.
fn ends_after_inputs(json: &[u8]) -> bool {
    let mut marks = json.iter().rev().filter(|byte| !byte.is_ascii_whitespace());
    b"}]}]".iter().all(|mark| marks.next() == Some(mark))
}

fn decode(
    json: &[u8],
    tail: Bytes,
    model: &ModelSpec,
    max_depth: usize,
    regions: &Regions,
    request: &mut InferRequest,
) -> Result<ResponseFormat, CodecError> {
    let before = request.memory.bytes();
    if tail.is_empty()
        && (json.len() <= MAX_FAST_PATH_BYTES || ends_after_inputs(json))
        && decode_common_form(json, model, max_depth, request).is_some()
    {
        let format = ResponseFormat::new(model, &request.id, &[], false, None, &request.memory)?;
        return Ok(format);
    }
    request.memory.shrink_to(before);
    decode_members(json, tail, model, max_depth, regions, request)
}

/// Decodes requests of every form into an empty request.
pub(super) fn decode_members(
    json: &[u8],
    tail: Bytes,
    model: &ModelSpec,
    max_depth: usize,
    regions: &Regions,
    request: &mut InferRequest,
) -> Result<ResponseFormat, CodecError> {
    let permit = &mut request.memory;
    let envelope = Envelope::parse(json, permit)?;
    let id = match envelope.id.map(Value::new) {
        Some(id) => string("id", Some(id), || Owner::Request, permit)?,
        None => String::new(),
    };
    let (parameters, binary) = match envelope.parameters {
        Some(raw) => decode_parameters(raw, permit)?,
        None => Default::default(),
    };
    let inputs = envelope
        .inputs
        .ok_or_else(|| missing("inputs", "an array", Owner::Request))?;
    permit.grow(inputs.len() * size_of::<InferInput>())?;
    let mut decoded = Vec::with_capacity(inputs.len());
    let mut decoder = InputDecoder::new(model, max_depth, tail, regions, permit);
    for (index, members) in inputs.iter().enumerate() {
        decoded.push(decoder.input(index, members)?);
    }
    let inputs = decoded;
    let mut shared = Shared {
        inputs: decoder.finish()?,
        ..Shared::default()
    };
    let mut decoder = OutputDecoder {
        model,
        regions,
        shared: &mut shared,
        permit,
    };
    let requested = envelope.outputs.unwrap_or_default();
    let bytes = requested.len() * size_of::<RequestedOutput>();
    decoder.permit.grow(bytes)?;
    let mut outputs = Vec::with_capacity(requested.len());
    for (index, members) in requested.iter().enumerate() {
        outputs.push(decoder.output(index, members)?);
    }
    let shared = shared.share();
    let format = ResponseFormat::new(model, &id, &outputs, binary, shared.as_deref(), permit)?;
    request.id = id;
    parameters.apply(request);
    request.inputs = inputs;
    request.outputs = outputs;
    request.shared = shared;
    Ok(format)
}
