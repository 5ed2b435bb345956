use std::sync::Arc;

use pytriton_core::model::ModelSpec;
use pytriton_core::request::RequestedOutput;
use pytriton_core::shared_memory::{Regions, Shared, SharedOutput};
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_request::InferRequestedOutputTensor;

use crate::error::ProtoError;

use super::region::Place;

/// Decodes a requested output.
pub(super) fn output(
    message: InferRequestedOutputTensor,
    spec: &ModelSpec,
    regions: &Regions,
    shared: &mut Shared,
) -> Result<RequestedOutput, ProtoError> {
    let place = Place::of(&message.name, &message.parameters)?;
    let classification = classification(&message)?;
    if place.is_some() && classification.is_some() {
        return Err(ProtoError::ClassificationBesideRegion);
    }
    if let Some(place) = place {
        let section = place.section(regions)?;
        // An unknown output is reported when the request is checked.
        if let Some(index) = spec.output_index(&message.name) {
            shared.insert(SharedOutput {
                index,
                name: Arc::clone(&spec.outputs[index].name),
                section,
            });
        }
    }
    Ok(RequestedOutput {
        name: message.name,
        binary: None,
        classification: classification.unwrap_or(0),
    })
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
