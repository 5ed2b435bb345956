use std::collections::BTreeMap;

use pytriton_core::request::{ParameterValue, Parameters, Sequence, SequenceId};
use pytriton_core::text::excerpt;
use pytriton_protocol::proto::InferParameter;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;

use crate::error::ProtoError;

/// The prefix of reserved names.
const RESERVED: &str = "triton_";

/// The parameters that a function receives, separated from those that the scheduler reads.
#[derive(Debug, Default)]
pub struct RequestParameters {
    /// The parameters for the function.
    pub parameters: Parameters,
    /// The timeout in the queue; 0 if the model's default applies.
    pub timeout_microseconds: u64,
    /// The priority; 0 if the model's default applies.
    pub priority: u64,
    /// The sequence, if the request belongs to one.
    pub sequence: Option<Sequence>,
}

/// Decodes the parameters of a request.
///
/// # Errors
///
/// Returns a [`ProtoError`] if a parameter is reserved or has the wrong type.
pub fn parameters(
    message: BTreeMap<String, InferParameter>,
) -> Result<RequestParameters, ProtoError> {
    let mut read = RequestParameters::default();
    let (mut id, mut start, mut end) = (SequenceId::default(), false, false);
    for (name, InferParameter { parameter_choice }) in message {
        match (name.as_str(), parameter_choice) {
            ("sequence_id", choice) => id = sequence_id(&name, choice)?,
            ("sequence_start", choice) => start = boolean(&name, choice.as_ref())?,
            ("sequence_end", choice) => end = boolean(&name, choice.as_ref())?,
            ("priority", choice) => read.priority = priority(&name, choice.as_ref())?,
            // Triton interprets a negative timeout as no timeout.
            ("timeout", Some(ParameterChoice::Int64Param(value))) => {
                read.timeout_microseconds = u64::try_from(value).unwrap_or(u64::MAX);
            }
            ("timeout", _) => return Err(wrong_type(&name, "int64_param.")),
            ("triton_enable_empty_final_response", choice) => {
                boolean(&name, choice.as_ref())?;
            }
            (reserved, _) if reserved.starts_with(RESERVED) => {
                return Err(ProtoError::ReservedParameter);
            }
            (_, choice) => {
                let Some(value) = value(choice) else {
                    return Err(wrong_type(
                        &name,
                        "int64_param, bool_param, or string_param.",
                    ));
                };
                read.parameters.insert(name, value);
            }
        }
    }
    read.sequence = Sequence::new(id, start, end);
    Ok(read)
}

/// Triton 2.51 accepts unsigned integers only for `priority`.
fn value(choice: Option<ParameterChoice>) -> Option<ParameterValue> {
    match choice? {
        ParameterChoice::BoolParam(value) => Some(ParameterValue::Bool(value)),
        ParameterChoice::Int64Param(value) => Some(ParameterValue::Int64(value)),
        ParameterChoice::StringParam(value) => Some(ParameterValue::String(value)),
        ParameterChoice::DoubleParam(value) => Some(ParameterValue::Double(value)),
        ParameterChoice::Uint64Param(_) => None,
    }
}

fn sequence_id(name: &str, choice: Option<ParameterChoice>) -> Result<SequenceId, ProtoError> {
    match choice {
        // Triton reinterprets the bits of a negative number.
        Some(ParameterChoice::Int64Param(id)) => Ok(SequenceId::Number(id.cast_unsigned())),
        Some(ParameterChoice::StringParam(id)) => {
            SequenceId::text(&id).ok_or(ProtoError::SequenceId)
        }
        _ => Err(wrong_type(name, "int64_param or string_param.")),
    }
}

fn boolean(name: &str, choice: Option<&ParameterChoice>) -> Result<bool, ProtoError> {
    match choice {
        Some(ParameterChoice::BoolParam(value)) => Ok(*value),
        _ => Err(wrong_type(name, "bool_param.")),
    }
}

fn priority(name: &str, choice: Option<&ParameterChoice>) -> Result<u64, ProtoError> {
    match choice {
        Some(ParameterChoice::Int64Param(priority)) => {
            u64::try_from(*priority).map_err(|_| ProtoError::NegativePriority)
        }
        Some(ParameterChoice::Uint64Param(priority)) => Ok(*priority),
        _ => Err(wrong_type(name, "int64_param or uint64_param.")),
    }
}

fn wrong_type(name: &str, expected: &'static str) -> ProtoError {
    let name = excerpt(name);
    ProtoError::ParameterType { name, expected }
}
