//! The functions of this module that `crate::fuzzing` calls.

use std::sync::Arc;

use bytes::Bytes;

use crate::Limits;
use crate::kserve::{CodecError, ResponseFormat};
use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::ModelSpec;
use crate::request::InferRequest;
use crate::shared_memory::Regions;

use super::{compression, infer};

/// Decodes an inference request whose first `json_length` bytes are JSON; `None` for a raw request.
pub(crate) fn decode(
    spec: &ModelSpec,
    body: &Bytes,
    json_length: Option<usize>,
) -> Result<(InferRequest, ResponseFormat), CodecError> {
    let max_depth = Limits::default().max_json_depth;
    let (regions, mut permit) = (Regions::default(), MemoryPermit::unlimited());
    infer::decode(spec, body, json_length, max_depth, &regions, &mut permit)
}

/// Decompresses a body and returns its length.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn inflate(body: &[u8], limit: usize, budget: &Arc<MemoryBudget>) -> Result<usize, String> {
    let body = compression::decompress(body, Some(0), limit, &mut budget.empty_permit());
    body.map(|body| body.len())
        .map_err(|error| error.to_string())
}
