use bytemuck::AnyBitPattern;
use pytriton_protocol::half::f16;
use pytriton_protocol::tensor::DataType;
use tract_onnx::prelude::{Datum, Tensor, TractError, TractResult};

use crate::Input;

/// Copies an input. tract owns its tensors.
pub(super) fn to_tensor(input: &Input<'_>) -> TractResult<Tensor> {
    match input.datatype {
        DataType::Bool => {
            let elements = bytemuck::checked::try_cast_slice::<u8, bool>(&input.bytes);
            let elements = elements.map_err(|error| TractError::msg(error.to_string()))?;
            Tensor::from_shape(&input.shape, elements)
        }
        DataType::Uint8 => numbers::<u8>(input),
        DataType::Uint16 => numbers::<u16>(input),
        DataType::Uint32 => numbers::<u32>(input),
        DataType::Uint64 => numbers::<u64>(input),
        DataType::Int8 => numbers::<i8>(input),
        DataType::Int16 => numbers::<i16>(input),
        DataType::Int32 => numbers::<i32>(input),
        DataType::Int64 => numbers::<i64>(input),
        DataType::Fp16 => numbers::<f16>(input),
        DataType::Fp32 => numbers::<f32>(input),
        DataType::Fp64 => numbers::<f64>(input),
        // Refused when the network was loaded.
        DataType::Bf16 | DataType::Bytes => {
            let message = format!("{} is not supported", input.datatype);
            Err(TractError::msg(message))
        }
    }
}

fn numbers<T: Datum + Copy + AnyBitPattern>(input: &Input<'_>) -> TractResult<Tensor> {
    if let Ok(elements) = bytemuck::try_cast_slice::<u8, T>(&input.bytes) {
        return Tensor::from_shape(&input.shape, elements);
    }
    // Not aligned.
    let elements = input.bytes.chunks_exact(size_of::<T>());
    let elements: Vec<T> = elements.map(bytemuck::pod_read_unaligned).collect();
    Tensor::from_shape(&input.shape, &elements)
}
