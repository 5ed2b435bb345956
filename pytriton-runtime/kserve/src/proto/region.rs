use std::collections::BTreeMap;

use pytriton_core::shared_memory::{Regions, Section};
use pytriton_core::text::excerpt;
use pytriton_protocol::proto::InferParameter;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;

use crate::error::ProtoError;

const REGION: &str = "shared_memory_region";
const OFFSET: &str = "shared_memory_offset";
const BYTE_SIZE: &str = "shared_memory_byte_size";

/// The location of a tensor in shared memory, according to its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place<'a> {
    region: &'a str,
    offset: i64,
    byte_size: i64,
}

impl<'a> Place<'a> {
    /// Returns the location of a tensor, or `None` if it is not in shared memory.
    pub(super) fn of(
        tensor: &str,
        parameters: &'a BTreeMap<String, InferParameter>,
    ) -> Result<Option<Self>, ProtoError> {
        if parameters.is_empty() {
            return Ok(None);
        }
        let choice = |name| parameters.get(name).map(|p| p.parameter_choice.as_ref());
        let region = match choice(REGION) {
            None => None,
            Some(Some(ParameterChoice::StringParam(region))) => Some(region.as_str()),
            Some(_) => return Err(wrong_type(REGION, tensor, "string_param")),
        };
        let mut numbers = [None; 2];
        for (number, parameter) in numbers.iter_mut().zip([OFFSET, BYTE_SIZE]) {
            match choice(parameter) {
                Some(_) if region.is_none() => {
                    return Err(ProtoError::RegionMissing {
                        parameter,
                        tensor: excerpt(tensor),
                    });
                }
                None => {}
                Some(Some(ParameterChoice::Int64Param(value))) => *number = Some(*value),
                Some(_) => return Err(wrong_type(parameter, tensor, "int64_param")),
            }
        }
        match (region, numbers) {
            (None, _) => Ok(None),
            (Some(_), [_, None]) => Err(ProtoError::RegionSizeMissing {
                tensor: excerpt(tensor),
            }),
            (Some(region), [offset, Some(byte_size)]) => Ok(Some(Self {
                region,
                offset: offset.unwrap_or(0),
                byte_size,
            })),
        }
    }

    /// Looks up the region. Negative numbers are reinterpreted as large unsigned ones, which lie in
    /// no region.
    pub(super) fn section(&self, regions: &Regions) -> Result<Section, ProtoError> {
        let offset = self.offset.cast_unsigned();
        let byte_size = self.byte_size.cast_unsigned();
        Ok(regions.section(self.region, offset, byte_size)?)
    }
}

fn wrong_type(parameter: &'static str, tensor: &str, expected: &'static str) -> ProtoError {
    ProtoError::RegionParameterType {
        parameter,
        tensor: excerpt(tensor),
        expected,
    }
}
