use pytriton_core::request::{InferRequest, ParameterValue, SequenceId};
use pytriton_core::text::excerpt;
use pytriton_protocol::proto::InferParameter;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;

use crate::error::ProtoError;
use crate::request_parameters::{RequestParameter, RequestParameters};

/// The reserved name that a request may contain.
const EMPTY_FINAL_RESPONSE: &str = "triton_enable_empty_final_response";

/// Decodes the parameters of a request. Those that the scheduler reads, such as the priority, are
/// not passed to the function.
///
/// # Errors
///
/// Returns a [`ProtoError`] if a parameter is reserved or has the wrong type.
pub fn decode_parameters(
    message: impl IntoIterator<Item = (String, InferParameter)>,
    request: &mut InferRequest,
) -> Result<(), ProtoError> {
    let mut parameters = RequestParameters::default();
    for (name, InferParameter { parameter_choice }) in message {
        let parameter = Choice {
            name: &name,
            choice: parameter_choice,
        };
        match name.as_str() {
            EMPTY_FINAL_RESPONSE => {
                parameter.boolean()?;
            }
            _ => parameters.insert(&name, parameter)?,
        }
    }
    parameters.apply(request);
    Ok(())
}

/// A parameter of a message, whose value may be missing.
struct Choice<'a> {
    name: &'a str,
    choice: Option<ParameterChoice>,
}

impl Choice<'_> {
    fn wrong_type(&self, expected: &'static str) -> ProtoError {
        ProtoError::ParameterType {
            name: excerpt(self.name),
            expected,
        }
    }
}

impl RequestParameter for Choice<'_> {
    type Error = ProtoError;

    fn sequence_id(self) -> Result<SequenceId, ProtoError> {
        match self.choice {
            // Triton reinterprets the bits of a negative number.
            Some(ParameterChoice::Int64Param(id)) => Ok(SequenceId::Number(id.cast_unsigned())),
            Some(ParameterChoice::StringParam(id)) => {
                SequenceId::text(&id).ok_or(ProtoError::SequenceId)
            }
            _ => Err(self.wrong_type("int64_param or string_param.")),
        }
    }

    fn boolean(self) -> Result<bool, ProtoError> {
        match self.choice {
            Some(ParameterChoice::BoolParam(value)) => Ok(value),
            _ => Err(self.wrong_type("bool_param.")),
        }
    }

    fn priority(self) -> Result<u64, ProtoError> {
        match self.choice {
            Some(ParameterChoice::Int64Param(priority)) => {
                u64::try_from(priority).map_err(|_| ProtoError::NegativePriority)
            }
            Some(ParameterChoice::Uint64Param(priority)) => Ok(priority),
            _ => Err(self.wrong_type("int64_param or uint64_param.")),
        }
    }

    fn timeout(self) -> Result<u64, ProtoError> {
        match self.choice {
            // Triton interprets a negative timeout as no timeout.
            Some(ParameterChoice::Int64Param(value)) => {
                Ok(u64::try_from(value).unwrap_or(u64::MAX))
            }
            _ => Err(self.wrong_type("int64_param.")),
        }
    }

    fn value(self) -> Result<ParameterValue, ProtoError> {
        match self.choice {
            // Triton 2.51 accepts unsigned integers only for `priority`.
            None | Some(ParameterChoice::Uint64Param(_)) => {
                Err(self.wrong_type("int64_param, bool_param, or string_param."))
            }
            Some(choice) => Ok(choice.into()),
        }
    }

    fn reserved() -> ProtoError {
        ProtoError::ReservedParameter
    }
}
