//! Checks of elements whose validity does not follow from the datatype alone.

use crate::model::ModelSpec;
use crate::tensor::{BytesElements, DataType, TensorError};

/// The number of bytes that are compared at once.
const CHUNK: usize = 4096;

/// Checks the elements of an input, whose size and framing are known to match its shape.
///
/// Each request is checked before it joins a batch, so that an invalid request cannot fail others.
/// Only datatypes with invalid bit patterns are scanned.
pub(super) fn check_elements(
    spec: &ModelSpec,
    input: usize,
    data: &[u8],
) -> Result<(), TensorError> {
    match spec.inputs[input].datatype {
        DataType::Bool => check_bool(data),
        DataType::Bytes if spec.utf8_inputs.contains(&input) => check_utf8(data),
        _ => Ok(()),
    }
}

fn check_bool(data: &[u8]) -> Result<(), TensorError> {
    let is_valid = |chunk: &[u8]| chunk.iter().fold(0, |all, &byte| all | byte) <= 1;
    if data.chunks(CHUNK).all(is_valid) {
        return Ok(());
    }
    match data.iter().zip(0..).find(|(byte, _)| **byte > 1) {
        Some((&value, index)) => Err(TensorError::NotBool { index, value }),
        None => Ok(()),
    }
}

fn check_utf8(data: &[u8]) -> Result<(), TensorError> {
    for (index, element) in BytesElements::new(data).enumerate() {
        if std::str::from_utf8(element?).is_err() {
            return Err(TensorError::NotUtf8 { index });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_invalid_bool_is_reported_at_any_position() {
        for len in [0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let mut data = vec![1; len];
            assert_eq!(check_bool(&data), Ok(()), "{len}");
            for index in [0, 1, CHUNK - 1, CHUNK, 2 * CHUNK + 7] {
                for value in [2, 3, 0x80, 0xff] {
                    let Some(byte) = data.get_mut(index) else {
                        continue;
                    };
                    *byte = value;
                    let expected = Err(TensorError::NotBool { index, value });
                    assert_eq!(check_bool(&data), expected, "{len} {index}");
                    data[index] = 0;
                }
            }
        }
    }
}
