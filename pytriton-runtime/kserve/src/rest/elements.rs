use std::sync::Arc;

use bytemuck::AnyBitPattern;
use pytriton_protocol::tensor::{BytesElements, DataType, Element, Tensor, numbers};

use crate::error::CodecError;
use crate::json::JsonWriter;

/// When to write brackets around elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Brackets {
    Always,
    /// A single element is not wrapped.
    AroundSeveral,
}

/// Writes the elements of a tensor without its shape.
pub(crate) fn write_elements(
    json: &mut JsonWriter,
    output: &Arc<str>,
    tensor: &Tensor,
    brackets: Brackets,
) -> Result<(), CodecError> {
    let bare = brackets == Brackets::AroundSeveral && tensor.shape().iter().all(|dim| *dim == 1);
    if !bare {
        json.begin(b'[');
    }
    let data = tensor.data();
    match tensor.datatype() {
        DataType::Bool => data.iter().for_each(|byte| json.boolean(*byte != 0)),
        DataType::Uint8 => integers::<u8>(json, data),
        DataType::Uint16 => integers::<u16>(json, data),
        DataType::Uint32 => integers::<u32>(json, data),
        DataType::Uint64 => integers::<u64>(json, data),
        DataType::Int8 => integers::<i8>(json, data),
        DataType::Int16 => integers::<i16>(json, data),
        DataType::Int32 => integers::<i32>(json, data),
        DataType::Int64 => integers::<i64>(json, data),
        DataType::Fp32 => numbers::<f32>(data).for_each(|element| json.float(element)),
        DataType::Fp64 => numbers::<f64>(data).for_each(|element| json.float(element)),
        DataType::Bytes => {
            let mut elements = BytesElements::new(data);
            let written = elements.try_for_each(|element| {
                json.string(element?);
                Ok(())
            });
            written.map_err(|source| CodecError::Output {
                output: Arc::clone(output),
                source,
            })?;
        }
        datatype @ (DataType::Fp16 | DataType::Bf16) => {
            return Err(CodecError::JsonOutput { datatype });
        }
    }
    if !bare {
        json.end(b']');
    }
    Ok(())
}

fn integers<T: Element + AnyBitPattern + itoa::Integer>(json: &mut JsonWriter, data: &[u8]) {
    numbers::<T>(data).for_each(|element| json.integer(element));
}
