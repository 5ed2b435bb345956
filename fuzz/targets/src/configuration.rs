//! The generated descriptions of a model: Triton's configuration and the OpenAPI document.

use std::collections::BTreeSet;

use prost::Message;
use pytriton_protocol::proto::ModelConfig;
use pytriton_runtime::fuzzing;
use pytriton_runtime::model::ModelSpec;
use serde_json::Value;

use crate::Outcome;
use crate::lines::models;
use crate::reserved::{bounded, within_constant};

/// The memory for a configuration for each byte of its model. Most is used by short tensors.
const CONFIGURATION_PER_BYTE: usize = 128;

/// The memory for the OpenAPI document: for the routes of a model and their schemas, for the
/// schemas of a tensor, and for each byte of the texts, which the document repeats.
const PER_MODEL: usize = 512 << 10;
const PER_TENSOR: usize = 128 << 10;
const PER_BYTE: usize = 512;

/// Text, JSON and protobuf of the configuration must be equivalent, and names and values of the
/// model must survive a round trip through each.
pub(crate) fn pbtxt(input: &[u8]) -> Outcome {
    for model in models(input) {
        let generate = |_: &[u8]| fuzzing::configuration(&model);
        let (text, json, bytes) = bounded(input, CONFIGURATION_PER_BYTE, generate);
        let strings = strings(&text)?;
        let json: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        let config = ModelConfig::decode(&*bytes).map_err(|error| error.to_string())?;
        assert_eq!(config.name, *model.name);
        assert_eq!(json["name"], *model.name);
        assert!(strings.contains(&*model.name), "{text}");
        for (tensor, input) in model.inputs.iter().zip(&config.input) {
            assert_eq!((&*tensor.name, &tensor.dims), (&*input.name, &input.dims));
            assert!(strings.contains(&*tensor.name), "{text}");
        }
        assert_eq!(config.input.len(), model.inputs.len());
        for (name, _) in &model.parameters {
            assert!(config.parameters.contains_key(&**name));
            assert!(strings.contains(&**name), "{text}");
        }
    }
    Ok(())
}

/// Returns the strings of a text in protobuf's text format. Each line is a field, or opens or
/// closes a message.
fn strings(text: &str) -> Result<BTreeSet<String>, String> {
    let mut strings = BTreeSet::new();
    let mut depth = 0_usize;
    for line in text.split_terminator('\n') {
        let line = line.trim_start();
        if line == "}" {
            depth = depth.checked_sub(1).ok_or("a message is closed twice")?;
        } else if line.strip_suffix(" {").is_some_and(is_name) {
            depth += 1;
        } else {
            let field = line.split_once(": ").filter(|(name, _)| is_name(name));
            let (_, value) = field.unwrap_or_else(|| panic!("{line:?} is no field"));
            if let Some(quoted) = value.strip_prefix('"') {
                strings.insert(unquoted(quoted).unwrap_or_else(|| panic!("{line:?} is no string")));
            }
        }
    }
    assert_eq!(depth, 0, "{text}");
    Ok(strings)
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    !name.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the value of a string after its first quote, or `None` if it does not end on the same
/// line.
fn unquoted(mut text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut characters = text.chars();
        match characters.next()? {
            '"' => {
                return characters
                    .as_str()
                    .is_empty()
                    .then_some(())
                    .and_then(|()| String::from_utf8(bytes).ok());
            }
            '\\' => match characters.next()? {
                'n' => bytes.push(b'\n'),
                'r' => bytes.push(b'\r'),
                't' => bytes.push(b'\t'),
                quoted @ ('"' | '\\') => bytes.push(u8::try_from(quoted).ok()?),
                _ => {
                    bytes.push(u8::from_str_radix(text.get(1..4)?, 8).ok()?);
                    text = text.get(4..)?;
                    continue;
                }
            },
            // protobuf's parser ends a string at the end of the line, and accepts all other control
            // characters.
            other => bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        text = characters.as_str();
    }
}

/// Every reference in the document must resolve, and every operation ID must be unique.
pub(crate) fn openapi(input: &[u8]) -> Outcome {
    let models = models(input);
    let tensors = |model: &ModelSpec| model.inputs.len() + model.outputs.len();
    let tensors: usize = models.iter().map(tensors).sum();
    let limit = PER_MODEL * models.len() + PER_TENSOR * tensors + PER_BYTE * input.len();
    let document = within_constant(limit, || fuzzing::openapi(&models));
    let mut operations = BTreeSet::new();
    check(&document, &document, &mut operations);
    assert!(!operations.is_empty());
    Ok(())
}

fn check<'a>(document: &'a Value, value: &'a Value, operations: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                let pointer = reference.trim_start_matches('#');
                assert!(
                    document.pointer(pointer).is_some(),
                    "{reference} leads nowhere"
                );
            }
            if let Some(Value::String(operation)) = members.get("operationId") {
                assert!(operations.insert(operation), "{operation} is there twice");
            }
            members
                .values()
                .for_each(|value| check(document, value, operations));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|value| check(document, value, operations)),
        _ => {}
    }
}
