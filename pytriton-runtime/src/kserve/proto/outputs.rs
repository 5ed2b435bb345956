use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::model_infer_request::InferRequestedOutputTensor;
use crate::request::RequestedOutput;

use super::ProtoError;
use super::region::{region, unknown};

/// One output that a request asks for.
pub(super) fn output(message: InferRequestedOutputTensor) -> Result<RequestedOutput, ProtoError> {
    let region = region(&message.name, &message.parameters)?;
    let classification = classification(&message)?;
    match (region, classification) {
        (Some(_), Some(_)) => Err(ProtoError::ClassificationBesideRegion),
        (Some(region), None) => Err(unknown(region)),
        (None, classification) => Ok(RequestedOutput {
            name: message.name,
            binary: None,
            classification: classification.unwrap_or(0),
        }),
    }
}

fn classification(message: &InferRequestedOutputTensor) -> Result<Option<usize>, ProtoError> {
    let Some(parameter) = message.parameters.get("classification") else {
        return Ok(None);
    };
    match parameter.parameter_choice {
        Some(ParameterChoice::Int64Param(count)) => match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(Some(count)),
            _ => Err(ProtoError::ClassificationCount),
        },
        _ => Err(ProtoError::ParameterType {
            name: "classification".to_owned(),
            expected: "int64_param",
        }),
    }
}
