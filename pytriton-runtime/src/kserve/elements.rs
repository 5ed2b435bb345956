use std::sync::Arc;

use crate::tensor::{BytesElements, DataType, Element, Tensor, TensorError};

use super::CodecError;
use super::json::{Float, JsonWriter};

/// When to write brackets around elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    Always,
    /// A single element is not wrapped.
    AroundSeveral,
}

/// Writes the elements of a tensor without its shape.
pub(super) fn write_elements(
    json: &mut JsonWriter,
    output: &Arc<str>,
    tensor: &Tensor,
    brackets: Brackets,
) -> Result<(), CodecError> {
    let bare = brackets == Brackets::AroundSeveral && tensor.shape().iter().all(|dim| *dim == 1);
    if !bare {
        json.begin(b'[');
    }
    let written = match tensor.datatype() {
        DataType::Bool => {
            tensor
                .data()
                .iter()
                .for_each(|byte| json.boolean(*byte != 0));
            Ok(())
        }
        DataType::Uint8 => integers::<u8>(json, tensor),
        DataType::Uint16 => integers::<u16>(json, tensor),
        DataType::Uint32 => integers::<u32>(json, tensor),
        DataType::Uint64 => integers::<u64>(json, tensor),
        DataType::Int8 => integers::<i8>(json, tensor),
        DataType::Int16 => integers::<i16>(json, tensor),
        DataType::Int32 => integers::<i32>(json, tensor),
        DataType::Int64 => integers::<i64>(json, tensor),
        DataType::Fp32 => floats::<f32>(json, tensor),
        DataType::Fp64 => floats::<f64>(json, tensor),
        DataType::Bytes => strings(json, tensor),
        datatype @ (DataType::Fp16 | DataType::Bf16) => {
            return Err(CodecError::JsonOutput { datatype });
        }
    };
    if !bare {
        json.end(b']');
    }
    written.map_err(|source| CodecError::Output {
        output: Arc::clone(output),
        source,
    })
}

fn strings(json: &mut JsonWriter, tensor: &Tensor) -> Result<(), TensorError> {
    for element in BytesElements::new(tensor.data()) {
        json.string(element?);
    }
    Ok(())
}

fn integers<T: Element + itoa::Integer + Copy>(
    json: &mut JsonWriter,
    tensor: &Tensor,
) -> Result<(), TensorError> {
    let elements = tensor.elements::<T>()?;
    elements.iter().for_each(|element| json.integer(*element));
    Ok(())
}

fn floats<T: Element + Float>(json: &mut JsonWriter, tensor: &Tensor) -> Result<(), TensorError> {
    let elements = tensor.elements::<T>()?;
    elements.iter().for_each(|element| json.float(*element));
    Ok(())
}
