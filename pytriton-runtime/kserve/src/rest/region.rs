use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::shared_memory::{Regions, Section};
use serde_json::value::RawValue;

use crate::error::{CodecError, Owner};
use crate::json::Value;

use super::member::{mistyped, string};

pub(super) const REGION: &str = "shared_memory_region";
pub(super) const OFFSET: &str = "shared_memory_offset";
pub(super) const BYTE_SIZE: &str = "shared_memory_byte_size";

/// Looks up the section of shared memory for a tensor from its region, offset and size.
pub(super) fn section(
    regions: &Regions,
    [region, offset, byte_size]: [Option<&RawValue>; 3],
    owner: &impl Fn() -> Owner,
    permit: &mut MemoryPermit,
) -> Result<Section, CodecError> {
    let region = string(REGION, region.map(Value::new), owner, permit)?;
    let number = |member, value: Option<&RawValue>| match value.map(Value::new) {
        None => Ok(0),
        Some(value) => value
            .unsigned()
            .ok_or_else(|| mistyped(member, "an unsigned integer", value, owner())),
    };
    let offset = number(OFFSET, offset)?;
    let byte_size = number(BYTE_SIZE, byte_size)?;
    Ok(regions.section(&region, offset, byte_size)?)
}
