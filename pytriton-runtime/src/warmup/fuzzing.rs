//! What `crate::fuzzing` calls of this module.

use bytes::Bytes;

use crate::model::{TensorSpec, WarmupInput};

use super::file::parse;

/// Reads a warm-up file of that path, and returns the number of rows it has for `tensor`.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn rows(
    path: &str,
    bytes: &Bytes,
    tensor: &TensorSpec,
    dims: Option<Vec<i64>>,
) -> Result<usize, String> {
    let mut input = WarmupInput::zero(tensor.name.to_string());
    input.dims = dims.map(Into::into);
    let rows = parse(path, bytes, (&input, tensor), true);
    rows.map(|rows| rows.rows.len())
        .map_err(|error| error.to_string())
}
