use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::{ParameterValue, Parameters, Sequence, SequenceId};
use pytriton_core::text::excerpt;
use serde_json::value::RawValue;

use crate::error::{CodecError, Owner};
use crate::json::{JsonWriter, Names, ReadError, Value, members};

use super::member::mistyped;

/// The memory of a parameter in addition to its name and text.
pub(crate) const PARAMETER_BYTES: usize = 128;

/// The parameters of a request, with the special ones separated from the others.
#[derive(Debug, Default)]
pub(crate) struct RequestParameters {
    pub(crate) parameters: Parameters,
    pub(crate) timeout_microseconds: u64,
    pub(crate) priority: u64,
    pub(crate) binary_data_output: bool,
    sequence_id: SequenceId,
    sequence_start: bool,
    sequence_end: bool,
}

impl RequestParameters {
    /// Decodes the `parameters` member of a request.
    ///
    /// Source: `ParseJsonTritonParams` in Triton 2.51.
    pub(crate) fn decode(raw: &RawValue, permit: &mut MemoryPermit) -> Result<Self, CodecError> {
        let noun = "parameters to be an object";
        let members = members(raw.get(), noun, Names::Unique, permit)
            .map_err(|error| error_of_parameters(Value::new(raw), error))?;
        let mut decoded = Self::default();
        for (name, raw) in members {
            let value = Value::new(raw);
            permit.grow(PARAMETER_BYTES + value.len())?;
            decoded.insert(name, value)?;
        }
        Ok(decoded)
    }

    fn insert(&mut self, name: String, value: Value<'_>) -> Result<(), CodecError> {
        match name.as_str() {
            "sequence_id" => self.sequence_id = sequence_id(&name, value)?,
            "sequence_start" => self.sequence_start = boolean(&name, value)?,
            "sequence_end" => self.sequence_end = boolean(&name, value)?,
            "priority" => self.priority = unsigned(&name, value)?,
            "timeout" => self.timeout_microseconds = unsigned(&name, value)?,
            "binary_data_output" => self.binary_data_output = boolean(&name, value)?,
            _ if name.starts_with("triton_") => return Err(CodecError::ReservedParameter),
            _ => {
                let Some(value) = plain(value) else {
                    return Err(CodecError::ParameterType {
                        name: excerpt(&name),
                    });
                };
                self.parameters.insert(name, value);
            }
        }
        Ok(())
    }

    /// Returns the sequence of the request.
    pub(crate) fn sequence(&self) -> Option<Sequence> {
        let id = self.sequence_id.clone();
        Sequence::new(id, self.sequence_start, self.sequence_end)
    }
}

/// Parses a string, Boolean or number.
pub(crate) fn plain(value: Value<'_>) -> Option<ParameterValue> {
    if let Some(string) = value.string() {
        return Some(ParameterValue::String(string.into_owned()));
    }
    if let Some(boolean) = value.boolean() {
        return Some(ParameterValue::Bool(boolean));
    }
    if let Some(integer) = value.integer() {
        return Some(ParameterValue::Int64(integer));
    }
    value.double().map(ParameterValue::Double)
}

fn sequence_id(name: &str, value: Value<'_>) -> Result<SequenceId, CodecError> {
    if let Some(number) = value.unsigned() {
        return Ok(SequenceId::Number(number));
    }
    let expected = "an unsigned integer or a string";
    let text = value
        .string()
        .ok_or_else(|| mistyped(name, expected, value, Owner::Request))?;
    SequenceId::text(&text).ok_or(CodecError::SequenceId)
}

fn unsigned(name: &str, value: Value<'_>) -> Result<u64, CodecError> {
    value
        .unsigned()
        .ok_or_else(|| mistyped(name, "an unsigned integer", value, Owner::Request))
}

fn boolean(name: &str, value: Value<'_>) -> Result<bool, CodecError> {
    value
        .boolean()
        .ok_or_else(|| mistyped(name, "a boolean", value, Owner::Request))
}

fn error_of_parameters(value: Value<'_>, error: ReadError) -> CodecError {
    match error {
        ReadError::Budget(error) => error.into(),
        ReadError::Json(error) if value.is_object() => CodecError::Json {
            message: excerpt(&error),
        },
        ReadError::Json(_) => mistyped("parameters", "an object", value, Owner::Request),
    }
}

/// Writes the value of a response parameter.
pub(crate) fn write_parameter(json: &mut JsonWriter, value: &ParameterValue) {
    match value {
        ParameterValue::Bool(value) => json.boolean(*value),
        ParameterValue::Int64(value) => json.integer(*value),
        ParameterValue::Uint64(value) => json.integer(*value),
        ParameterValue::Double(value) => json.float(*value),
        ParameterValue::String(value) => json.text(value),
    }
}
