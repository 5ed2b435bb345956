//! The functions of this module that `crate::fuzzing` calls. They reserve memory in the same steps
//! as the server.

use std::sync::Arc;

use bytes::Bytes;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::model::{ModelSpec, Surface};
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::request::{Identity, Request};
use pytriton_core::shared_memory::Regions;
use pytriton_engine::Limits;
use pytriton_kserve::generate::{GenerateFormat, decode_generate_request};
use pytriton_kserve::openai::OpenAiRequest;
use pytriton_kserve::{
    GpuHandle, Registration, ResponseWriter, change_log, decode_index_request, decode_load_request,
    header_length, trace_changes,
};
use pytriton_protocol::tensor::AlignedBuffer;

use crate::service::fuzzing::{Decoded, echo, text};

use super::openai::choice_request;
use super::router::READ_BYTES_PER_BYTE;
use super::{compression, infer as inference};

/// Decodes the body of an inference request with this value of `Inference-Header-Content-Length`,
/// checks the request and encodes a response. Each output of the response is the input of its name.
///
/// # Errors
///
/// Returns the text of the error if the request is refused.
pub fn infer(
    spec: &Arc<ModelSpec>,
    header: Option<&str>,
    body: &[u8],
    budget: &Arc<MemoryBudget>,
) -> Decoded<()> {
    let length = header_length(header, body.len()).map_err(text)?;
    let json_length = (header.is_none() || length > 0).then_some(length);
    let body = received(body, header.map(|_| length), budget)?;
    let json = json_length.unwrap_or_default();
    let kept_bytes = if json < body.len() { json } else { 0 };
    let max_depth = Limits::default().max_json_depth;
    let regions = Regions::default();
    let decoded = inference::decode(spec, body, json_length, max_depth, &regions);
    let (mut request, format) = decoded.map_err(text)?;
    request.settle(kept_bytes).map_err(text)?;
    let request = Request::check(spec, request).map_err(text)?;
    let writer = ResponseWriter::new(spec);
    let written = writer.write(&format, &echo(&request), budget.empty_permit());
    written.map(drop).map_err(text)
}

/// Decodes the body of a request of the generate extension, checks the request and encodes a
/// response. Each output of the response is the input of its name.
///
/// # Errors
///
/// Returns the text of the error if the request is refused.
pub fn generate(spec: &Arc<ModelSpec>, body: &[u8], budget: &Arc<MemoryBudget>) -> Decoded<()> {
    let (body, request) = received(body, None, budget)?.into_request();
    let max_depth = Limits::default().max_json_depth;
    let decoded = decode_generate_request(&body, spec, max_depth, request);
    let mut request = decoded.map_err(text)?;
    drop(body);
    request.settle(0).map_err(text)?;
    let format = GenerateFormat::new(spec, &request.id, &request.memory).map_err(text)?;
    let request = Request::check(spec, request).map_err(text)?;
    let written = format.write(&echo(&request), budget.empty_permit(), [b""; 2]);
    written.map(drop).map_err(text)
}

/// Decodes the body of a request of an OpenAI route, and checks the requests to its model.
///
/// # Errors
///
/// Returns the text of the error if the request is refused.
pub fn openai(
    spec: &Arc<ModelSpec>,
    surface: Surface,
    body: &[u8],
    budget: &Arc<MemoryBudget>,
) -> Decoded<()> {
    let mut body = received(body, None, budget)?;
    let (bytes, permit) = body.parts();
    let limits = Limits::default();
    let asked = OpenAiRequest::read(bytes, permit).map_err(text)?;
    let most = limits.max_request_bytes;
    let bodies = match surface.generates_text() {
        true => asked
            .of(spec, surface, most, permit)
            .and_then(|request| Ok(request.bodies(permit)?)),
        false => asked
            .embeddings(spec, most, permit)
            .and_then(|request| Ok(request.bodies(permit)?)),
    };
    let bodies = bodies.map_err(text)?;
    let inputs = bodies
        .iter()
        .map(|body| {
            choice_request(
                body,
                spec,
                limits.max_json_depth,
                &Identity::ANONYMOUS,
                permit,
            )
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(text)?;
    let mut checked = inputs.into_iter().map(|input| Request::check(spec, input));
    checked.try_for_each(|request| request.map(drop).map_err(text))
}

/// Decodes the body of a request that controls the server; `kind` selects which.
///
/// # Errors
///
/// Returns the text of the error if the request is refused.
pub fn control(kind: u8, body: &[u8], budget: &Arc<MemoryBudget>) -> Decoded<()> {
    let mut body = received(body, None, budget)?;
    let (body, permit) = body.parts();
    permit
        .grow(READ_BYTES_PER_BYTE * body.len())
        .map_err(text)?;
    match kind % 6 {
        0 => decode_load_request(body, permit)
            .map(drop)
            .map_err(|flaw| format!("{flaw:?}")),
        1 => decode_index_request(body).map(drop).map_err(text),
        2 => Registration::decode(body).map(drop).map_err(text),
        3 => GpuHandle::decode(body).map(drop).map_err(text),
        4 => trace_changes(body, permit).map(drop).map_err(text),
        _ => change_log(body, |_| Ok(())).map_err(text),
    }
}

/// Decompresses a body and returns its length.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn inflate(body: &[u8], limit: usize, budget: &Arc<MemoryBudget>) -> Decoded<usize> {
    let mut body = received(body, None, budget)?;
    let (bytes, permit) = body.parts();
    let decompressed = compression::decompress(bytes, Some(0), limit, permit.sibling());
    Ok(decompressed.map_err(text)?.len())
}

/// Returns a body that has arrived, and its reservation. The byte at `aligned_at` is aligned for
/// every element type.
fn received(
    body: &[u8],
    aligned_at: Option<usize>,
    budget: &Arc<MemoryBudget>,
) -> Decoded<ReceivedBody> {
    let mut permit = budget.empty_permit();
    permit.grow(body.len()).map_err(text)?;
    let Some(at) = aligned_at else {
        return ReceivedBody::new(Bytes::copy_from_slice(body), permit).map_err(text);
    };
    let mut buffer = AlignedBuffer::try_with_capacity(body.len(), at).map_err(text)?;
    buffer.extend_from_slice(body);
    ReceivedBody::new(buffer.freeze(), permit).map_err(text)
}
