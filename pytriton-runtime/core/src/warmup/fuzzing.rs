//! Entry points for the fuzz targets of the runtime. Not public API.

use bytes::Bytes;

use crate::model::{TensorSpec, WarmupInput};

use super::file::parse;

/// Reads a warm-up file and returns the number of rows it has for `tensor`.
///
/// # Errors
///
/// Returns the error message if the bytes are malformed.
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
