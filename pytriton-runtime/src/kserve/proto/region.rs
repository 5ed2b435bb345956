use std::collections::BTreeMap;

use crate::proto::InferParameter;
use crate::proto::infer_parameter::ParameterChoice;
use crate::text::excerpt;

use super::ProtoError;

const REGION: &str = "shared_memory_region";
const OFFSET: &str = "shared_memory_offset";
const BYTE_SIZE: &str = "shared_memory_byte_size";

/// The shared memory region that a tensor's parameters name.
pub(super) fn region<'a>(
    tensor: &str,
    parameters: &'a BTreeMap<String, InferParameter>,
) -> Result<Option<&'a str>, ProtoError> {
    let choice = |name| parameters.get(name).map(|p| p.parameter_choice.as_ref());
    let region = match choice(REGION) {
        None => None,
        Some(Some(ParameterChoice::StringParam(region))) => Some(region.as_str()),
        Some(_) => return Err(wrong_type(REGION, tensor, "string_param")),
    };
    for parameter in [OFFSET, BYTE_SIZE] {
        match choice(parameter) {
            Some(_) if region.is_none() => {
                return Err(ProtoError::RegionMissing {
                    parameter,
                    tensor: excerpt(tensor),
                });
            }
            None | Some(Some(ParameterChoice::Int64Param(_))) => {}
            Some(_) => return Err(wrong_type(parameter, tensor, "int64_param")),
        }
    }
    if region.is_some() && choice(BYTE_SIZE).is_none() {
        return Err(ProtoError::RegionSizeMissing {
            tensor: excerpt(tensor),
        });
    }
    Ok(region)
}

/// Regions cannot be registered, so that none is ever found.
pub(super) fn unknown(region: &str) -> ProtoError {
    ProtoError::UnknownRegion {
        region: excerpt(region),
    }
}

fn wrong_type(parameter: &'static str, tensor: &str, expected: &'static str) -> ProtoError {
    ProtoError::RegionParameterType {
        parameter,
        tensor: excerpt(tensor),
        expected,
    }
}
