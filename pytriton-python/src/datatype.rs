use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pytriton_runtime::tensor::DataType;

/// Returns the datatype of a numpy dtype, or `None` if there is no equivalent.
pub(crate) fn datatype(dtype: &Bound<'_, PyArrayDescr>) -> Option<DataType> {
    Some(match (dtype.kind(), dtype.itemsize()) {
        (b'b', 1) => DataType::Bool,
        (b'u', 1) => DataType::Uint8,
        (b'u', 2) => DataType::Uint16,
        (b'u', 4) => DataType::Uint32,
        (b'u', 8) => DataType::Uint64,
        (b'i', 1) => DataType::Int8,
        (b'i', 2) => DataType::Int16,
        (b'i', 4) => DataType::Int32,
        (b'i', 8) => DataType::Int64,
        (b'f', 2) if !is_bfloat16(dtype) => DataType::Fp16,
        (b'f', 4) => DataType::Fp32,
        (b'f', 8) => DataType::Fp64,
        (b'O' | b'S' | b'U', _) => DataType::Bytes,
        (_, 2) if is_bfloat16(dtype) => DataType::Bf16,
        _ => return None,
    })
}

/// Returns whether it is the `bfloat16` of `ml_dtypes`, which has no numpy type code.
fn is_bfloat16(dtype: &Bound<'_, PyArrayDescr>) -> bool {
    let name = dtype.getattr("name");
    name.is_ok_and(|name| name.eq("bfloat16").unwrap_or(false))
}

/// Returns the numpy type string of a datatype: little-endian, and 32 bits if numpy has no such
/// type.
pub(crate) fn typestr(datatype: DataType) -> &'static str {
    match datatype {
        DataType::Bool => "|b1",
        DataType::Uint8 => "|u1",
        DataType::Uint16 => "<u2",
        DataType::Uint32 => "<u4",
        DataType::Uint64 => "<u8",
        DataType::Int8 => "|i1",
        DataType::Int16 => "<i2",
        DataType::Int32 => "<i4",
        DataType::Int64 => "<i8",
        DataType::Fp16 => "<f2",
        DataType::Bf16 | DataType::Fp32 => "<f4",
        DataType::Fp64 => "<f8",
        DataType::Bytes => "|O",
    }
}
