use std::sync::Arc;

use bytes::Bytes;

use crate::http;
use crate::kserve::generate::decode_generate_request;
use crate::kserve::proto::{self, Pieces};
use crate::kserve::{
    GpuHandle, Registration, ResponseFormat, ResponseWriter, change_log, decode_index_request,
    decode_load_request, header_length, trace_changes,
};
use crate::limits::Limits;
use crate::memory_budget::MemoryPermit;
use crate::model::{ModelSpec, Surface};
use crate::openai::Asked;
use crate::request::{InferRequest, Request, Response};
use crate::shared_memory::Regions;

use super::Decoded;

/// Decodes the body of an inference request with this value of `Inference-Header-Content-Length`.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn infer(
    spec: &ModelSpec,
    header: Option<&str>,
    body: &Bytes,
) -> Decoded<(InferRequest, ResponseFormat)> {
    let length = header_length(header, body.len()).map_err(text)?;
    let length = (header.is_none() || length > 0).then_some(length);
    http::fuzzing::decode(spec, body, length).map_err(text)
}

/// Checks a request, and encodes a response whose outputs are the inputs of their names.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn respond(
    spec: &Arc<ModelSpec>,
    request: InferRequest,
    format: &ResponseFormat,
) -> Decoded<()> {
    let request = Request::check(spec, request).map_err(text)?;
    let inputs = request.inputs().iter().enumerate();
    let inputs = inputs.filter(|(index, _)| request.asks_for(*index));
    let outputs = inputs.filter_map(|(index, input)| Some((index, input.clone()?)));
    let response = Response::new(outputs.collect());
    let written = ResponseWriter::new(spec).write(format, &response, MemoryPermit::unlimited());
    written.map(drop).map_err(text)
}

/// Decodes a `ModelInferRequest` that arrives in pieces of `piece` bytes.
///
/// Returns nothing for a message with too many fields, which the server refuses before decoding.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn infer_message(spec: &Arc<ModelSpec>, bytes: &[u8], piece: usize) -> Decoded<()> {
    let mut pieces = Pieces::new(bytes.len());
    for bytes in bytes.chunks(piece.max(1)) {
        pieces.push(bytes);
    }
    if pieces.elements().is_none() {
        return Err("too many fields".to_owned());
    }
    let message = pieces.decode().map_err(text)?;
    let request = proto::request(message, spec, &Regions::default()).map_err(text)?;
    Request::check(spec, request).map(drop).map_err(text)
}

/// Decodes the body of a request of the generate extension.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn generate(spec: &ModelSpec, body: &[u8]) -> Decoded<InferRequest> {
    let max_depth = Limits::default().max_json_depth;
    decode_generate_request(body, spec, max_depth, &mut MemoryPermit::unlimited()).map_err(text)
}

/// Decodes the body of a request of an OpenAI route, and each generate request that is made of it.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn openai(spec: &ModelSpec, surface: Surface, body: &[u8]) -> Decoded<Vec<InferRequest>> {
    let mut permit = MemoryPermit::unlimited();
    let asked = Asked::read(body, &mut permit).map_err(text)?;
    let limits = Limits::default();
    let request = asked
        .of(spec, surface, limits.max_request_bytes, &mut permit)
        .map_err(text)?;
    let bodies = request.bodies.iter();
    bodies.map(|body| generate(spec, body)).collect()
}

/// Decodes the body of a request that controls the server; `kind` selects which.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn control(kind: u8, body: &[u8]) -> Decoded<()> {
    match kind % 6 {
        0 => decode_load_request(body, &mut MemoryPermit::unlimited())
            .map(drop)
            .map_err(|flaw| format!("{flaw:?}")),
        1 => decode_index_request(body).map(drop).map_err(text),
        2 => Registration::decode(body).map(drop).map_err(text),
        3 => GpuHandle::decode(body).map(drop).map_err(text),
        4 => trace_changes(body).map(drop).map_err(text),
        _ => change_log(body, |_| Ok(())).map_err(text),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes values")]
fn text(error: impl ToString) -> String {
    error.to_string()
}
