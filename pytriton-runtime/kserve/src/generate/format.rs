use std::collections::BTreeMap;
use std::str::from_utf8;
use std::sync::Arc;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_core::request::Response;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_protocol::tensor::{BytesElements, DataType, Tensor};

use crate::error::CodecError;
use crate::error::GenerateError;
use crate::json::JsonWriter;
use crate::rest::elements::{Brackets, write_elements};
use crate::rest::parameter::write_parameter;

/// Encodes the responses to one request.
#[derive(Debug)]
pub struct GenerateFormat {
    /// The members of each response other than parameters, ordered by name.
    members: BTreeMap<Arc<str>, Member>,
}

#[derive(Debug)]
enum Member {
    /// A text that is the same in all responses.
    Text(TrackedBytes),
    /// The output with this index.
    Output(usize),
}

impl GenerateFormat {
    /// Creates the format for a request with this ID, which may be empty. The copies of the names
    /// are reserved in the budget of `permit`.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved.
    pub fn new(
        model: &ModelSpec,
        id: &str,
        permit: &MemoryPermit,
    ) -> Result<Self, MemoryBudgetError> {
        let outputs = model.outputs.iter().enumerate();
        let outputs = outputs.map(|(index, output)| (&output.name, Member::Output(index)));
        let mut members: BTreeMap<Arc<str>, Member> = outputs
            .map(|(name, member)| (Arc::clone(name), member))
            .collect();
        // These members take precedence over outputs with the same name.
        let mut text = |name: &str, text| members.insert(name.into(), Member::Text(text));
        let version = model.version.to_string();
        let copied = |text: &str| TrackedBytes::copied(text.as_bytes(), permit);
        text("model_name", copied(&model.name)?);
        text("model_version", copied(&version)?);
        if !id.is_empty() {
            text("id", copied(id)?);
        }
        Ok(Self { members })
    }

    /// Encodes a response as an object between two byte strings. Memory is reserved with `permit`.
    ///
    /// Source: `FinalizeResponse` and `ExactMappingOutput` in Triton 2.51.
    ///
    /// # Errors
    ///
    /// Returns [`CodecError::JsonOutput`] for `FP16` and `BF16`, [`GenerateError::NotUtf8`] for
    /// other bytes, or [`CodecError::Budget`] if the memory cannot be reserved.
    pub fn write(
        &self,
        response: &Response,
        permit: MemoryPermit,
        [before, behind]: [&[u8]; 2],
    ) -> Result<TrackedBytes, CodecError> {
        let mut json = JsonWriter::reserving(permit, self.capacity(response));
        json.raw(before);
        let mut parameters = response.parameters.iter().peekable();
        json.begin(b'{');
        for (name, member) in &self.members {
            while let Some((name, value)) = parameters.next_if(|(other, _)| **other < **name) {
                write_parameter(json.key(name), value);
            }
            let parameter = parameters.next_if(|(other, _)| **other == **name);
            match (member, parameter) {
                (Member::Text(text), _) => json.key(name).string(text),
                (Member::Output(_), Some((_, value))) => write_parameter(json.key(name), value),
                (Member::Output(index), None) => {
                    if let Some(tensor) = tensor(response, *index) {
                        write_output(json.key(name), name, tensor)?;
                    }
                }
            }
        }
        for (name, value) in parameters {
            write_parameter(json.key(name), value);
        }
        json.end(b'}');
        json.raw(behind);
        Ok(json.finish_reserved()?)
    }

    /// Returns an estimate of the size, so that most responses are not moved while they grow.
    fn capacity(&self, response: &Response) -> usize {
        /// The quotes, colon and comma of a member, and a short value.
        const MEMBER: usize = 16;

        let names = self.members.iter();
        let names: usize = names.map(|(name, _)| MEMBER + name.len()).sum();
        names + response.bytes().saturating_mul(3)
    }
}

/// Returns the output with this index. Outputs are ordered by index.
fn tensor(response: &Response, index: usize) -> Option<&Tensor> {
    let found = response.outputs.binary_search_by_key(&index, |(at, _)| *at);
    found.ok().map(|at| &*response.outputs[at].1)
}

fn write_output(
    json: &mut JsonWriter,
    output: &Arc<str>,
    tensor: &Tensor,
) -> Result<(), CodecError> {
    if tensor.datatype() == DataType::Bytes {
        let mut elements = BytesElements::new(tensor.data());
        // A truncated element is reported when it is written.
        if elements.any(|element| element.is_ok_and(|bytes| from_utf8(bytes).is_err())) {
            let output = Arc::clone(output);
            return Err(GenerateError::NotUtf8 { output }.into());
        }
    }
    write_elements(json, output, tensor, Brackets::AroundSeveral)
}
