use std::fs;

use bytes::{BufMut, Bytes, BytesMut};

use crate::model::{TensorSpec, WarmupInput, is_npy};
use crate::tensor::{BytesElements, DataType, dims_match, element_count, shape_text};

use super::WarmupError;
use super::npy::Npy;
use super::rows::Rows;

/// Returns the rows of an input from a file. `batching` permits several rows.
pub(super) fn rows(
    path: &str,
    input: &WarmupInput,
    tensor: &TensorSpec,
    batching: bool,
) -> Result<Rows, WarmupError> {
    let bytes = fs::read(path).map_err(|source| WarmupError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(path, &bytes.into(), (input, tensor), batching)
}

/// Same as [`rows`], for the content of a file.
pub(super) fn parse(
    path: &str,
    bytes: &Bytes,
    of: (&WarmupInput, &TensorSpec),
    batching: bool,
) -> Result<Rows, WarmupError> {
    match is_npy(path) {
        true => of_numpy(path, bytes, of, batching),
        false => raw(path, bytes, of, batching),
    }
}

fn of_numpy(
    path: &str,
    bytes: &[u8],
    (input, tensor): (&WarmupInput, &TensorSpec),
    batching: bool,
) -> Result<Rows, WarmupError> {
    let array = Npy::read(bytes).map_err(|reason| WarmupError::Npy {
        path: path.to_owned(),
        reason,
    })?;
    if array.datatype != tensor.datatype {
        return Err(WarmupError::DataType {
            path: path.to_owned(),
            input: tensor.name.to_string(),
            expected: tensor.datatype,
            got: array.datatype,
        });
    }
    let expected = input.dims.as_deref().unwrap_or(&tensor.dims);
    let dims = match &array.shape[..] {
        dims if dims_match(expected, dims) => dims,
        [rows, dims @ ..] if batching && *rows > 0 && dims_match(expected, dims) => dims,
        _ => {
            return Err(WarmupError::Shape {
                path: path.to_owned(),
                input: tensor.name.to_string(),
                expected: shape_text(expected),
                got: shape_text(&array.shape),
            });
        }
    };
    let row = element_count(dims)?.saturating_mul(array.size);
    let rows = array.data.chunks(row.max(1));
    let rows = rows.map(|row| match tensor.datatype {
        DataType::Bytes => texts(row, array.size),
        _ => Bytes::copy_from_slice(row),
    });
    Ok(Rows {
        dims: dims.to_vec(),
        rows: rows.collect(),
    })
}

/// Converts fixed-size strings to length-prefixed ones, without NumPy's trailing zeros.
fn texts(row: &[u8], size: usize) -> Bytes {
    let mut texts = BytesMut::new();
    for text in row.chunks(size.max(1)) {
        let end = text.iter().rposition(|&byte| byte != 0);
        let text = &text[..end.map_or(0, |last| last + 1)];
        texts.put_u32_le(u32::try_from(text.len()).unwrap_or(u32::MAX));
        texts.put_slice(text);
    }
    texts.freeze()
}

fn raw(
    path: &str,
    bytes: &Bytes,
    (input, tensor): (&WarmupInput, &TensorSpec),
    batching: bool,
) -> Result<Rows, WarmupError> {
    let dims = input.dims_of(tensor).unwrap_or_default();
    let count = element_count(&dims)?;
    let (expected, unit, ends) = match tensor.datatype.size() {
        Some(size) => {
            let row = count.saturating_mul(size);
            let ends = (0..=bytes.len()).step_by(row.max(1)).collect();
            (row, "bytes", ends)
        }
        None => (count, "elements", ends(path, bytes, count)?),
    };
    let got = match unit {
        "bytes" => bytes.len(),
        _ => BytesElements::new(bytes).count(),
    };
    let rows = ends.windows(2).map(|ends| bytes.slice(ends[0]..ends[1]));
    let rows: Vec<Bytes> = rows.collect();
    if expected == 0 || got == 0 || !got.is_multiple_of(expected) || !batching && got != expected {
        return Err(WarmupError::Size {
            path: path.to_owned(),
            input: tensor.name.to_string(),
            expected,
            unit,
            got,
        });
    }
    Ok(Rows { dims, rows })
}

/// Returns the offsets at which rows of `count` `BYTES` elements end, starting with 0.
fn ends(path: &str, bytes: &[u8], count: usize) -> Result<Vec<usize>, WarmupError> {
    let mut elements = BytesElements::new(bytes);
    let mut ends = vec![0];
    for number in 1_usize.. {
        let Some(element) = elements.next() else {
            break;
        };
        element.map_err(|source| WarmupError::Elements {
            path: path.to_owned(),
            source,
        })?;
        if number.is_multiple_of(count.max(1)) {
            ends.push(bytes.len() - elements.rest().len());
        }
    }
    Ok(ends)
}
