use crate::request::RequestedOutput;
use crate::text::excerpt;

use super::envelope::OutputMembers;
use super::json::{Object, Value};
use super::member::{members_of, mistyped, string};
use super::{CodecError, Owner};

const OUTPUT_PARAMETERS: Object<3> = Object {
    noun: "an object",
    names: ["binary_data", "classification", "shared_memory_region"],
};

/// Reads an entry of a request's `outputs`.
pub(super) fn decode_output(
    index: usize,
    members: &OutputMembers<'_>,
) -> Result<RequestedOutput, CodecError> {
    let [name, parameters] = *members;
    let item = || Owner::Item("outputs", index);
    let name = string("name", name.map(Value::new), item)?;
    let owner = || Owner::Output(excerpt(&name));
    let [binary, classification, region] = match parameters {
        Some(raw) => members_of(raw, OUTPUT_PARAMETERS, &owner)?,
        None => [None, None, None],
    };
    if let Some(region) = region {
        let region = string("shared_memory_region", Some(Value::new(region)), owner)?;
        return Err(CodecError::SharedMemory {
            region: excerpt(&region),
        });
    }
    let binary = match binary.map(Value::new) {
        Some(value) => Some(
            value
                .boolean()
                .ok_or_else(|| mistyped("binary_data", "a boolean", value, owner()))?,
        ),
        None => None,
    };
    let classification = match classification.map(Value::new) {
        Some(value) => value
            .unsigned()
            .and_then(|classes| usize::try_from(classes).ok())
            .ok_or_else(|| mistyped("classification", "an unsigned integer", value, owner()))?,
        None => 0,
    };
    Ok(RequestedOutput {
        name,
        binary,
        classification,
    })
}
