use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::text::excerpt;

use crate::error::CodecError;
use crate::json::{Bounded, Bounds, Limit, Names, Object, ReadError, Value, members, parse};

/// The parameters of a load request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadParameters {
    /// The configuration that overrides the model's, as JSON.
    pub config: Option<String>,
    /// The names of files that override the model's.
    pub files: Vec<String>,
}

/// Why a load request is invalid. The messages are those of Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadParameterError {
    /// The parameter is unknown.
    Unknown(String),
    /// The parameter has the wrong type.
    Kind(&'static str),
    /// The body is invalid.
    Body(CodecError),
}

impl From<MemoryBudgetError> for LoadParameterError {
    fn from(error: MemoryBudgetError) -> Self {
        Self::Body(error.into())
    }
}

impl From<ReadError> for LoadParameterError {
    fn from(error: ReadError) -> Self {
        Self::Body(error.into())
    }
}

impl LoadParameters {
    /// Returns whether the parameter is the configuration; otherwise it is a file.
    ///
    /// # Errors
    ///
    /// Returns [`LoadParameterError::Unknown`] for other names.
    pub fn is_config(name: &str) -> Result<bool, LoadParameterError> {
        match name {
            "config" => Ok(true),
            name if name.starts_with("file:") => Ok(false),
            name => Err(LoadParameterError::Unknown(excerpt(name))),
        }
    }
}

/// Decodes a load request. Memory is reserved with `permit` before it is allocated.
///
/// # Errors
///
/// Returns a [`LoadParameterError`] if the request is invalid.
pub fn decode_load_request(
    body: &[u8],
    permit: &mut MemoryPermit,
) -> Result<LoadParameters, LoadParameterError> {
    let mut parameters = LoadParameters::default();
    let Some(text) = parameters_text(body, permit)? else {
        return Ok(parameters);
    };
    if !Value::from_text(text).is_object() {
        return Err(LoadParameterError::Kind(
            "attempt to get members for non-object",
        ));
    }
    let noun = "the request to be an object";
    let members = members(text, noun, Names::Any, permit)?;
    let mut files = Bounded::<Vec<_>>::new(Limit::of("files"));
    for (name, value) in members {
        permit.grow(value.get().len())?;
        let is_config = LoadParameters::is_config(&name)?;
        let Some(text) = Value::new(value).string() else {
            return Err(LoadParameterError::Kind(
                "attempt to access JSON non-string as string",
            ));
        };
        match is_config {
            true => parameters.config = Some(text.into_owned()),
            false => files.push(name, permit).map_err(ReadError::from)?,
        }
    }
    parameters.files = files.into_items();
    Ok(parameters)
}

fn json(message: String) -> LoadParameterError {
    LoadParameterError::Body(CodecError::Json { message })
}

fn parameters_text<'a>(
    body: &'a [u8],
    permit: &mut MemoryPermit,
) -> Result<Option<&'a str>, LoadParameterError> {
    if body.is_empty() {
        return Ok(None);
    }
    let text = std::str::from_utf8(body).map_err(|error| json(excerpt(&error)))?;
    // As in Triton, an empty array counts as an empty object.
    if text.trim() == "[]" {
        return Ok(None);
    }
    let object = Object {
        noun: "the request to be an object",
        names: ["parameters"],
    };
    Bounds::new(text, permit)?;
    let [parameters] = parse(text, object).map_err(|error| json(excerpt(&error)))?;
    Ok(parameters.map(|parameters| parameters.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_request_is_read() {
        let table = [
            ("", None, 0),
            ("{}", None, 0),
            ("[]", None, 0),
            (r#"{"x":1}"#, None, 0),
            (r#"{"parameters":{}}"#, None, 0),
            (
                r#"{"parameters":{"config":"{\"name\":\"m\"}"}}"#,
                Some(r#"{"name":"m"}"#),
                0,
            ),
            (
                r#"{"parameters":{"config":"c","file:1/a":"YQ=="}}"#,
                Some("c"),
                1,
            ),
        ];
        for (body, config, files) in table {
            let read =
                decode_load_request(body.as_bytes(), &mut MemoryPermit::unlimited()).unwrap();
            assert_eq!((read.config.as_deref(), read.files.len()), (config, files));
        }
        let kind = |text| LoadParameterError::Kind(text);
        let table = [
            (
                r#"{"parameters":[]}"#,
                kind("attempt to get members for non-object"),
            ),
            (
                r#"{"parameters":{"config":7}}"#,
                kind("attempt to access JSON non-string as string"),
            ),
            (
                r#"{"parameters":{"x":"y"}}"#,
                LoadParameterError::Unknown("x".to_owned()),
            ),
        ];
        for (body, expected) in table {
            assert_eq!(
                decode_load_request(body.as_bytes(), &mut MemoryPermit::unlimited()),
                Err(expected),
                "{body}"
            );
        }
        let broken = decode_load_request(b"{", &mut MemoryPermit::unlimited());
        assert!(matches!(broken, Err(LoadParameterError::Body(_))));
    }
}
