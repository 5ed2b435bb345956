use pytriton_protocol::signature::onnx::{ValueInfo, ValueType};
use pytriton_protocol::tensor::DataType;
use tract_onnx::prelude::DatumType;

use super::RUNTIME;
use crate::Error;

/// Returns the types of the elements of an input or output.
pub(super) fn datum_type(value: &ValueInfo) -> Result<(DataType, DatumType), Error> {
    let datatype = match &value.ty {
        ValueType::Tensor { element, .. } => element.datatype(),
        ValueType::Other(_) => None,
    };
    let Some(datatype) = datatype else {
        return Err(Error::Load {
            runtime: RUNTIME,
            message: format!("`{value}` is not supported"),
        });
    };
    let datum_type = match datatype {
        DataType::Bool => DatumType::Bool,
        DataType::Uint8 => DatumType::U8,
        DataType::Uint16 => DatumType::U16,
        DataType::Uint32 => DatumType::U32,
        DataType::Uint64 => DatumType::U64,
        DataType::Int8 => DatumType::I8,
        DataType::Int16 => DatumType::I16,
        DataType::Int32 => DatumType::I32,
        DataType::Int64 => DatumType::I64,
        DataType::Fp16 => DatumType::F16,
        DataType::Fp32 => DatumType::F32,
        DataType::Fp64 => DatumType::F64,
        DataType::Bf16 | DataType::Bytes => {
            return Err(Error::Element {
                runtime: RUNTIME,
                tensor: value.name.clone(),
                datatype,
            });
        }
    };
    Ok((datatype, datum_type))
}
