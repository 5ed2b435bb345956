use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{InferRequest, RequestId};
use pytriton_core::text::excerpt;
use serde_json::value::RawValue;

use crate::error::GenerateError;
use crate::error::{CodecError, Owner};
use crate::json::{Members, Names, Value, members};
use crate::request_parameters::RequestParameter;
use crate::rest::member::{mistyped, string};
use crate::rest::parameter::{Member, PARAMETER_BYTES};

use super::tensor::decode_input;

/// The member that may contain further inputs and parameters.
const PARAMETERS: &str = "parameters";

/// Decodes a request of the generate extension.
///
/// `request` is empty. Its reservation grows before memory is allocated.
///
/// Source: `ConvertGenerateRequest` in Triton 2.51. In addition, a duplicate parameter is an error.
///
/// # Errors
///
/// Returns a [`CodecError`] that names the first invalid member.
///
/// # Examples
///
/// ```no_run
/// # fn example(model: &pytriton_core::model::ModelSpec) -> Result<(), pytriton_kserve::CodecError> {
/// # use pytriton_core::request::InferRequest;
/// # use pytriton_kserve::generate::decode_generate_request;
/// let body = br#"{"prompt":"Once upon a time","parameters":{"temperature":0.5},"id":"7"}"#;
/// let permit = pytriton_core::memory_budget::MemoryBudget::new(1 << 20).empty_permit();
/// let request = decode_generate_request(body, model, 100, InferRequest::new(permit))?;
/// # Ok(())
/// # }
/// ```
pub fn decode_generate_request(
    body: &[u8],
    model: &ModelSpec,
    max_depth: usize,
    mut request: InferRequest,
) -> Result<InferRequest, CodecError> {
    let text = std::str::from_utf8(body).map_err(|error| CodecError::Json {
        message: excerpt(&error),
    })?;
    let permit = &mut request.memory;
    let members = all_members(text, permit)?;
    if let Some((_, id)) = members.iter().find(|(name, _)| name == "id") {
        request.id = string("id", Some(Value::new(id)), || Owner::Request, permit)?;
    }
    let mut mapping = Mapping {
        model,
        max_depth,
        request,
    };
    let mut nested = false;
    for (name, value) in members {
        if name != PARAMETERS {
            mapping.member(name, value)?;
            continue;
        }
        if std::mem::replace(&mut nested, true) {
            return Err(twice(PARAMETERS));
        }
        mapping.nested(value)?;
    }
    Ok(mapping.request)
}

/// A request that is built from members.
struct Mapping<'a> {
    model: &'a ModelSpec,
    max_depth: usize,
    request: InferRequest,
}

impl Mapping<'_> {
    fn nested(&mut self, parameters: &RawValue) -> Result<(), CodecError> {
        if self.model.input_index(PARAMETERS).is_some() {
            return Err(GenerateError::Keyword.into());
        }
        let value = Value::new(parameters);
        if !value.is_object() {
            return Err(mistyped(PARAMETERS, "an object", value, Owner::Request));
        }
        let mapped = all_members(parameters.get(), &mut self.request.memory).and_then(|members| {
            let mut members = members.into_iter();
            members.try_for_each(|(name, value)| self.member(name, value))
        });
        mapped.map_err(|source| match source {
            CodecError::Budget(error) => error.into(),
            source => {
                let source = Box::new(source);
                GenerateError::Nested { source }.into()
            }
        })
    }

    fn member(&mut self, name: String, value: &RawValue) -> Result<(), CodecError> {
        match self.model.input_index(&name) {
            Some(index) => self.input(index, value),
            None => self.parameter(name, Value::new(value)),
        }
    }

    fn input(&mut self, index: usize, value: &RawValue) -> Result<(), CodecError> {
        let input = &self.model.inputs[index];
        let permit = &mut self.request.memory;
        let tensor = decode_input(self.model, input, value.get(), self.max_depth, permit)?;
        let request = &mut self.request;
        if request.inputs.iter().any(|other| other.name == tensor.name) {
            let error = GenerateError::DuplicateInput {
                request: RequestId(excerpt(&request.id)),
                input: excerpt(&tensor.name),
            };
            return Err(error.into());
        }
        request.inputs.push(tensor);
        Ok(())
    }

    fn parameter(&mut self, name: String, value: Value<'_>) -> Result<(), CodecError> {
        let permit = &mut self.request.memory;
        permit.grow(PARAMETER_BYTES + value.len())?;
        let value = Member { name: &name, value }.value()?;
        if self.request.parameters.get(&name).is_some() {
            return Err(twice(&name));
        }
        self.request.parameters.insert(name, value);
        Ok(())
    }
}

fn all_members<'a>(text: &'a str, permit: &mut MemoryPermit) -> Result<Members<'a>, CodecError> {
    let noun = "the request to be an object";
    Ok(members(text, noun, Names::Any, permit)?)
}

fn twice(member: &str) -> CodecError {
    let member = excerpt(member);
    GenerateError::DuplicateMember { member }.into()
}
