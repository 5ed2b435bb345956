use std::fmt;

use crate::DataType;

/// The element type of a tensor in an ONNX file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementType(u64);

/// ONNX's names and the datatypes, by ONNX's number. The types without a datatype are not part of
/// the KServe protocol.
const TYPES: [(&str, Option<DataType>); 27] = [
    ("UNDEFINED", None),
    ("FLOAT", Some(DataType::Fp32)),
    ("UINT8", Some(DataType::Uint8)),
    ("INT8", Some(DataType::Int8)),
    ("UINT16", Some(DataType::Uint16)),
    ("INT16", Some(DataType::Int16)),
    ("INT32", Some(DataType::Int32)),
    ("INT64", Some(DataType::Int64)),
    ("STRING", Some(DataType::Bytes)),
    ("BOOL", Some(DataType::Bool)),
    ("FLOAT16", Some(DataType::Fp16)),
    ("DOUBLE", Some(DataType::Fp64)),
    ("UINT32", Some(DataType::Uint32)),
    ("UINT64", Some(DataType::Uint64)),
    ("COMPLEX64", None),
    ("COMPLEX128", None),
    ("BFLOAT16", Some(DataType::Bf16)),
    ("FLOAT8E4M3FN", None),
    ("FLOAT8E4M3FNUZ", None),
    ("FLOAT8E5M2", None),
    ("FLOAT8E5M2FNUZ", None),
    ("UINT4", None),
    ("INT4", None),
    ("FLOAT4E2M1", None),
    ("FLOAT8E8M0", None),
    ("UINT2", None),
    ("INT2", None),
];

impl ElementType {
    /// Creates the element type with ONNX's number (`TensorProto.DataType`).
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns ONNX's name, such as `FLOAT`; `None` for a type that is newer than this crate.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|(name, _)| name)
    }

    /// Returns the datatype in the KServe protocol; `None` if it has none.
    pub fn datatype(self) -> Option<DataType> {
        self.row()?.1
    }

    fn row(self) -> Option<(&'static str, Option<DataType>)> {
        TYPES.get(usize::try_from(self.0).ok()?).copied()
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "element type {}", self.0),
        }
    }
}
