use pytriton_backend::Code;
use pytriton_backend::protocol::Parameter;

use crate::request::ParameterValue;
use crate::status::Status;
use crate::tensor::DataType;

/// Returns Triton's error code for a status.
pub(crate) fn code(status: Status) -> Code {
    match status {
        Status::InvalidArgument | Status::TooLarge | Status::AlreadyExists => Code::InvalidArgument,
        Status::NotFound => Code::NotFound,
        // Triton has no code for a deadline.
        Status::Unavailable | Status::DeadlineExceeded | Status::Exhausted => Code::Unavailable,
        Status::Internal => Code::Internal,
        Status::Unsupported => Code::Unsupported,
        Status::Cancelled => Code::Cancelled,
    }
}

/// Converts a response parameter; to text if Triton has no such type.
pub(crate) fn parameter(value: &ParameterValue) -> Result<Parameter<'_>, String> {
    Ok(match value {
        ParameterValue::Bool(value) => Parameter::Bool(*value),
        ParameterValue::Int64(value) => Parameter::Int64(*value),
        ParameterValue::Double(value) => Parameter::Double(*value),
        ParameterValue::String(text) => Parameter::String(text),
        ParameterValue::Uint64(value) => {
            let signed = i64::try_from(*value);
            Parameter::Int64(signed.map_err(|_| value.to_string())?)
        }
    })
}

/// Returns Triton's number of a datatype (`TRITONSERVER_DataType`).
pub(crate) fn datatype_number(datatype: DataType) -> i32 {
    match datatype {
        DataType::Bool => 1,
        DataType::Uint8 => 2,
        DataType::Uint16 => 3,
        DataType::Uint32 => 4,
        DataType::Uint64 => 5,
        DataType::Int8 => 6,
        DataType::Int16 => 7,
        DataType::Int32 => 8,
        DataType::Int64 => 9,
        DataType::Fp16 => 10,
        DataType::Fp32 => 11,
        DataType::Fp64 => 12,
        DataType::Bytes => 13,
        DataType::Bf16 => 14,
    }
}
