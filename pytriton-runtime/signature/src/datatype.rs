use std::fmt;
use std::str::FromStr;

/// The datatype of a tensor's elements.
///
/// These are all datatypes of the protocol. The enum is exhaustive, so that a codec that does not
/// handle one does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataType {
    /// `BOOL`: one byte, 0 or 1.
    Bool,
    /// `UINT8`.
    Uint8,
    /// `UINT16`.
    Uint16,
    /// `UINT32`.
    Uint32,
    /// `UINT64`.
    Uint64,
    /// `INT8`.
    Int8,
    /// `INT16`.
    Int16,
    /// `INT32`.
    Int32,
    /// `INT64`.
    Int64,
    /// `FP16`: IEEE 754 half precision.
    Fp16,
    /// `BF16`: the upper half of an IEEE 754 single.
    Bf16,
    /// `FP32`.
    Fp32,
    /// `FP64`.
    Fp64,
    /// `BYTES`: each element is a 4-byte little-endian length and that many bytes.
    Bytes,
}

impl DataType {
    /// All datatypes, in the order of Triton's enumeration.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Uint64,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Fp16,
        Self::Bf16,
        Self::Fp32,
        Self::Fp64,
        Self::Bytes,
    ];

    /// Returns the name in KServe v2 requests and metadata, such as `FP32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "BOOL",
            Self::Uint8 => "UINT8",
            Self::Uint16 => "UINT16",
            Self::Uint32 => "UINT32",
            Self::Uint64 => "UINT64",
            Self::Int8 => "INT8",
            Self::Int16 => "INT16",
            Self::Int32 => "INT32",
            Self::Int64 => "INT64",
            Self::Fp16 => "FP16",
            Self::Bf16 => "BF16",
            Self::Fp32 => "FP32",
            Self::Fp64 => "FP64",
            Self::Bytes => "BYTES",
        }
    }

    /// Returns the name in Triton's model configuration, such as `TYPE_FP32`. `BYTES` is
    /// `TYPE_STRING` there.
    pub const fn config_name(self) -> &'static str {
        match self {
            Self::Bool => "TYPE_BOOL",
            Self::Uint8 => "TYPE_UINT8",
            Self::Uint16 => "TYPE_UINT16",
            Self::Uint32 => "TYPE_UINT32",
            Self::Uint64 => "TYPE_UINT64",
            Self::Int8 => "TYPE_INT8",
            Self::Int16 => "TYPE_INT16",
            Self::Int32 => "TYPE_INT32",
            Self::Int64 => "TYPE_INT64",
            Self::Fp16 => "TYPE_FP16",
            Self::Bf16 => "TYPE_BF16",
            Self::Fp32 => "TYPE_FP32",
            Self::Fp64 => "TYPE_FP64",
            Self::Bytes => "TYPE_STRING",
        }
    }

    /// Returns Triton's number, which is the same in the model configuration (`DataType`) and in
    /// the backend API (`TRITONSERVER_DataType`).
    pub const fn triton_number(self) -> u8 {
        match self {
            Self::Bool => 1,
            Self::Uint8 => 2,
            Self::Uint16 => 3,
            Self::Uint32 => 4,
            Self::Uint64 => 5,
            Self::Int8 => 6,
            Self::Int16 => 7,
            Self::Int32 => 8,
            Self::Int64 => 9,
            Self::Fp16 => 10,
            Self::Fp32 => 11,
            Self::Fp64 => 12,
            Self::Bytes => 13,
            Self::Bf16 => 14,
        }
    }

    /// Returns the size of one element in bytes; `None` for `BYTES`, whose elements vary in size.
    pub const fn size(self) -> Option<usize> {
        match self {
            Self::Bool | Self::Uint8 | Self::Int8 => Some(1),
            Self::Uint16 | Self::Int16 | Self::Fp16 | Self::Bf16 => Some(2),
            Self::Uint32 | Self::Int32 | Self::Fp32 => Some(4),
            Self::Uint64 | Self::Int64 | Self::Fp64 => Some(8),
            Self::Bytes => None,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DataType {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "BOOL" => Self::Bool,
            "UINT8" => Self::Uint8,
            "UINT16" => Self::Uint16,
            "UINT32" => Self::Uint32,
            "UINT64" => Self::Uint64,
            "INT8" => Self::Int8,
            "INT16" => Self::Int16,
            "INT32" => Self::Int32,
            "INT64" => Self::Int64,
            "FP16" => Self::Fp16,
            "BF16" => Self::Bf16,
            "FP32" => Self::Fp32,
            "FP64" => Self::Fp64,
            "BYTES" => Self::Bytes,
            _ => return Err(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_round_trips() {
        for datatype in DataType::ALL {
            assert_eq!(datatype.name().parse(), Ok(datatype));
        }
        for unknown in ["", "fp32", "FP8", "TYPE_FP32", "STRING"] {
            assert_eq!(unknown.parse::<DataType>(), Err(()), "{unknown}");
        }
    }

    #[test]
    fn numbers_names_and_sizes_are_triton_s() {
        let table = [
            (DataType::Bool, "TYPE_BOOL", Some(1)),
            (DataType::Uint8, "TYPE_UINT8", Some(1)),
            (DataType::Uint16, "TYPE_UINT16", Some(2)),
            (DataType::Uint32, "TYPE_UINT32", Some(4)),
            (DataType::Uint64, "TYPE_UINT64", Some(8)),
            (DataType::Int8, "TYPE_INT8", Some(1)),
            (DataType::Int16, "TYPE_INT16", Some(2)),
            (DataType::Int32, "TYPE_INT32", Some(4)),
            (DataType::Int64, "TYPE_INT64", Some(8)),
            (DataType::Fp16, "TYPE_FP16", Some(2)),
            (DataType::Fp32, "TYPE_FP32", Some(4)),
            (DataType::Fp64, "TYPE_FP64", Some(8)),
            (DataType::Bytes, "TYPE_STRING", None),
            (DataType::Bf16, "TYPE_BF16", Some(2)),
        ];
        for ((datatype, name, size), number) in table.into_iter().zip(1..) {
            assert_eq!(datatype.config_name(), name);
            assert_eq!(datatype.triton_number(), number, "{name}");
            assert_eq!(datatype.size(), size, "{name}");
        }
    }
}
