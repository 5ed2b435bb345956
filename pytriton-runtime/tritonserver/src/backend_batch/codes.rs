use pytriton_backend::Code;
use pytriton_backend::protocol::Parameter;
use pytriton_core::request::ParameterValue;
use pytriton_core::status::Status;

/// Returns Triton's error code for a status.
pub(crate) fn code(status: Status) -> Code {
    match status {
        Status::InvalidArgument | Status::TooLarge | Status::AlreadyExists => Code::InvalidArgument,
        Status::NotFound => Code::NotFound,
        // Triton has no code for a deadline or a limit.
        Status::Unavailable
        | Status::DeadlineExceeded
        | Status::Exhausted
        | Status::ResourceExhausted => Code::Unavailable,
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
