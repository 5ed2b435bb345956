use std::sync::Arc;

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::RequestedOutput;
use pytriton_core::shared_memory::{Regions, Shared, SharedOutput};
use pytriton_core::text::excerpt;

use crate::error::{CodecError, Owner};
use crate::json::{Object, Value};

use super::envelope::OutputMembers;
use super::member::{members_of, mistyped, string};
use super::region::{BYTE_SIZE, OFFSET, REGION, section};

const OUTPUT_PARAMETERS: Object<5> = Object {
    noun: "an object",
    names: ["binary_data", "classification", REGION, OFFSET, BYTE_SIZE],
};

/// Decodes the entries of `outputs`.
#[derive(Debug)]
pub(super) struct OutputDecoder<'a> {
    pub(super) model: &'a ModelSpec,
    pub(super) regions: &'a Regions,
    pub(super) shared: &'a mut Shared,
    pub(super) permit: &'a mut MemoryPermit,
}

impl OutputDecoder<'_> {
    pub(super) fn output(
        &mut self,
        index: usize,
        members: &OutputMembers<'_>,
    ) -> Result<RequestedOutput, CodecError> {
        let [name, parameters] = *members;
        let item = || Owner::Item("outputs", index);
        let name = string("name", name.map(Value::new), item, self.permit)?;
        let owner = || Owner::Output(excerpt(&name));
        let [binary, classification, region, offset, byte_size] = match parameters {
            Some(raw) => members_of(raw, OUTPUT_PARAMETERS, &owner, self.permit)?,
            None => [None; 5],
        };
        if region.is_some() && classification.is_some() {
            let option = "classification";
            return Err(CodecError::RegionBeside { option });
        }
        let binary = match binary.map(Value::new) {
            Some(value) => Some(
                value
                    .boolean()
                    .ok_or_else(|| mistyped("binary_data", "a boolean", value, owner()))?,
            ),
            None => None,
        };
        if region.is_some() && binary == Some(true) {
            let option = "binary_data";
            return Err(CodecError::RegionBeside { option });
        }
        let classification = match classification.map(Value::new) {
            Some(value) => value
                .unsigned()
                .and_then(|classes| usize::try_from(classes).ok())
                .ok_or_else(|| mistyped("classification", "an unsigned integer", value, owner()))?,
            None => 0,
        };
        if region.is_some() {
            let section = section(
                self.regions,
                [region, offset, byte_size],
                &owner,
                self.permit,
            )?;
            // An unknown output is reported when the request is checked.
            if let Some(index) = self.model.output_index(&name) {
                self.shared.insert(SharedOutput {
                    index,
                    name: Arc::clone(&self.model.outputs[index].name),
                    section,
                });
            }
        }
        Ok(RequestedOutput {
            name,
            binary,
            classification,
        })
    }
}
