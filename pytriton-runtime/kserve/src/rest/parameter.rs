use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::{ParameterValue, SequenceId};
use pytriton_core::text::excerpt;
use serde_json::value::RawValue;

use crate::error::{CodecError, Owner};
use crate::json::{JsonWriter, Names, ReadError, Value, members};
use crate::request_parameters::{RequestParameter, RequestParameters};

use super::member::mistyped;

/// The memory of a parameter in addition to its name and text.
pub(crate) const PARAMETER_BYTES: usize = 128;

/// Decodes the `parameters` member of a request. Also returns whether the outputs are binary.
///
/// Source: `ParseJsonTritonParams` in Triton 2.51.
pub(crate) fn decode_parameters(
    raw: &RawValue,
    permit: &mut MemoryPermit,
) -> Result<(RequestParameters, bool), CodecError> {
    let noun = "parameters to be an object";
    let members = members(raw.get(), noun, Names::Unique, permit)
        .map_err(|error| error_of_parameters(Value::new(raw), error))?;
    let mut parameters = RequestParameters::default();
    let mut binary = false;
    for (name, raw) in members {
        let value = Value::new(raw);
        permit.grow(PARAMETER_BYTES + value.len())?;
        let parameter = Member { name: &name, value };
        match name.as_str() {
            "binary_data_output" => binary = parameter.boolean()?,
            _ => parameters.insert(&name, parameter)?,
        }
    }
    Ok((parameters, binary))
}

/// A parameter in JSON.
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Value<'a>,
}

impl Member<'_> {
    fn mistyped(&self, expected: &'static str) -> CodecError {
        mistyped(self.name, expected, self.value, Owner::Request)
    }

    fn unsigned(&self) -> Result<u64, CodecError> {
        let number = self.value.unsigned();
        number.ok_or_else(|| self.mistyped("an unsigned integer"))
    }
}

impl RequestParameter for Member<'_> {
    type Error = CodecError;

    fn sequence_id(self) -> Result<SequenceId, CodecError> {
        if let Some(number) = self.value.unsigned() {
            return Ok(SequenceId::Number(number));
        }
        let text = self.value.string();
        let text = text.ok_or_else(|| self.mistyped("an unsigned integer or a string"))?;
        SequenceId::text(&text).ok_or(CodecError::SequenceId)
    }

    fn boolean(self) -> Result<bool, CodecError> {
        let boolean = self.value.boolean();
        boolean.ok_or_else(|| self.mistyped("a boolean"))
    }

    fn priority(self) -> Result<u64, CodecError> {
        self.unsigned()
    }

    fn timeout(self) -> Result<u64, CodecError> {
        self.unsigned()
    }

    /// Parses a string, Boolean or number.
    fn value(self) -> Result<ParameterValue, CodecError> {
        let value = self.value;
        if let Some(string) = value.string() {
            return Ok(ParameterValue::String(string.into_owned()));
        }
        if let Some(boolean) = value.boolean() {
            return Ok(ParameterValue::Bool(boolean));
        }
        if let Some(integer) = value.integer() {
            return Ok(ParameterValue::Int64(integer));
        }
        let double = value.double().map(ParameterValue::Double);
        double.ok_or_else(|| CodecError::ParameterType {
            name: excerpt(self.name),
        })
    }

    fn reserved() -> CodecError {
        CodecError::ReservedParameter
    }
}

fn error_of_parameters(value: Value<'_>, error: ReadError) -> CodecError {
    match error {
        ReadError::Json(_) if !value.is_object() => {
            mistyped("parameters", "an object", value, Owner::Request)
        }
        error => error.into(),
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
