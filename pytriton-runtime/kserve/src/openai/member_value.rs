//! Validation of member values.

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::{Surface, TensorSpec};
use pytriton_core::registry::{Kind, Member, STOP, TOKEN_LIMITS};
use pytriton_core::text::excerpt;
use pytriton_protocol::tensor::DataType;
use serde_json::value::RawValue;

use crate::json::Value;

use super::OpenAiError;
use super::elements::{ElementsError, elements, for_each};

/// The maximum number and length of stop sequences.
const MAX_STOPS: usize = 16;
const MAX_STOP_BYTES: usize = 256;

/// The bytes of a character that is escaped, such as `\u0061`.
const ESCAPE: usize = 6;

/// Values of ignored members are inspected only up to this length. No default value is longer.
const MAX_IGNORED_VALUE_BYTES: usize = 64;

pub(super) fn invalid(member: &str, what: String) -> OpenAiError {
    OpenAiError::Invalid {
        member: excerpt(member),
        what,
    }
}

/// Returns the error of a member that is an array.
pub(super) fn invalid_elements(member: &str, error: ElementsError) -> OpenAiError {
    match error {
        ElementsError::Invalid(what) => invalid(member, what),
        ElementsError::Budget(error) => error.into(),
    }
}

fn mistyped(member: &str, expected: &str, value: &RawValue) -> OpenAiError {
    let found = Value::new(value).describe();
    invalid(member, format!("expected {expected}, found {found}"))
}

pub(super) fn text(member: &str, value: &RawValue) -> Result<String, OpenAiError> {
    let text = Value::new(value).string();
    text.map(Into::into)
        .ok_or_else(|| mistyped(member, "a string", value))
}

pub(super) fn boolean(member: &str, value: &RawValue) -> Result<bool, OpenAiError> {
    let boolean = Value::new(value).boolean();
    boolean.ok_or_else(|| mistyped(member, "a boolean", value))
}

/// Checks a limit on the number of tokens.
pub(super) fn check_token_limit(member: &str, value: &RawValue) -> Result<(), OpenAiError> {
    check_kind(member, Kind::Integer, value)?;
    let json = Value::new(value);
    match json.integer().is_some_and(|count| count < 0) {
        true => {
            let what = format!(
                "expected an integer of at least 0, found {}",
                json.describe()
            );
            Err(invalid(member, what))
        }
        false => Ok(()),
    }
}

/// Checks the value of an input.
pub(super) fn check(
    input: &TensorSpec,
    value: &RawValue,
    surface: Surface,
) -> Result<(), OpenAiError> {
    let kind = match Member::named(&input.name, surface) {
        Some(member) => member.kind(),
        None => kind(input),
    };
    check_kind(&input.name, kind, value)?;
    if TOKEN_LIMITS.contains(&&*input.name) {
        check_token_limit(&input.name, value)?;
    }
    match kind == Kind::Integer && !is_in_range(input.datatype, value.get()) {
        true => {
            let (datatype, found) = (input.datatype, Value::new(value).describe());
            let what = format!("expected an integer that fits {datatype}, found {found}");
            Err(invalid(&input.name, what))
        }
        false => Ok(()),
    }
}

fn is_in_range(datatype: DataType, integer: &str) -> bool {
    match datatype {
        DataType::Uint8 => integer.parse::<u8>().is_ok(),
        DataType::Uint16 => integer.parse::<u16>().is_ok(),
        DataType::Uint32 => integer.parse::<u32>().is_ok(),
        DataType::Uint64 => integer.parse::<u64>().is_ok(),
        DataType::Int8 => integer.parse::<i8>().is_ok(),
        DataType::Int16 => integer.parse::<i16>().is_ok(),
        DataType::Int32 => integer.parse::<i32>().is_ok(),
        DataType::Int64 => integer.parse::<i64>().is_ok(),
        _ => true,
    }
}

/// Returns the kind of an input that has no OpenAI name.
fn kind(input: &TensorSpec) -> Kind {
    match input.datatype {
        DataType::Bytes if *input.dims == [1] => Kind::Text,
        DataType::Bytes => Kind::Texts,
        DataType::Bool => Kind::Boolean,
        DataType::Fp16 | DataType::Bf16 | DataType::Fp32 | DataType::Fp64 => Kind::Number,
        _ => Kind::Integer,
    }
}

fn check_kind(member: &str, kind: Kind, value: &RawValue) -> Result<(), OpenAiError> {
    let json = Value::new(value);
    let expected = match kind {
        Kind::Integer if json.integer().is_none() && json.unsigned().is_none() => "an integer",
        Kind::Number if json.double().is_none() => "a number",
        Kind::Boolean if json.boolean().is_none() => "a boolean",
        Kind::Text if !value.get().starts_with('"') => "a string",
        Kind::Texts => return check_texts(member, value),
        _ => return Ok(()),
    };
    Err(mistyped(member, expected, value))
}

const TEXTS: &str = "a string or an array of strings";

fn check_texts(member: &str, value: &RawValue) -> Result<(), OpenAiError> {
    match value.get().as_bytes().first() {
        Some(b'"') => Ok(()),
        Some(b'[') => for_each(value, |text| match text.get().starts_with('"') {
            true => Ok(()),
            false => Err(format!("expected {TEXTS}")),
        })
        .map_err(|what| invalid(member, what)),
        _ => Err(mistyped(member, TEXTS, value)),
    }
}

/// Parses the stop sequences.
pub(super) fn stops(
    value: &RawValue,
    permit: &mut MemoryPermit,
) -> Result<Vec<String>, OpenAiError> {
    check_texts(STOP, value)?;
    let stops = match value.get().starts_with('[') {
        true => {
            elements(value, MAX_STOPS, permit).map_err(|error| invalid_elements(STOP, error))?
        }
        false => vec![value],
    };
    let wrong = || {
        invalid(
            STOP,
            format!("expected strings of 1 to {MAX_STOP_BYTES} bytes"),
        )
    };
    let stops = stops.into_iter().map(|stop| {
        // The text of a longer value is not copied: a byte takes at most an escape, between two
        // quotes.
        if stop.get().len() > MAX_STOP_BYTES * ESCAPE + 2 {
            return Err(wrong());
        }
        let stop = text(STOP, stop)?;
        match stop.len() {
            1..=MAX_STOP_BYTES => Ok(stop),
            _ => Err(wrong()),
        }
    });
    stops.collect()
}

/// Checks a member that the model does not support.
pub(super) fn pass_over(member: &Member, value: &RawValue) -> Result<(), OpenAiError> {
    check_kind(member.name, member.kind(), value)?;
    let Some(nothing) = member.nothing else {
        return Ok(());
    };
    let parsed = match value.get().len() {
        ..=MAX_IGNORED_VALUE_BYTES => serde_json::from_str::<serde_json::Value>(value.get()).ok(),
        _ => None,
    };
    let mut nothing = nothing.iter().map(|text| serde_json::from_str(text).ok());
    match parsed.is_some() && nothing.any(|nothing| nothing == parsed) {
        true => Ok(()),
        false => Err(OpenAiError::Unsupported {
            member: member.name.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_must_fit_its_datatype() {
        let table = [
            (DataType::Uint8, "255", "256"),
            (DataType::Uint16, "65535", "65536"),
            (DataType::Uint32, "4294967295", "4294967296"),
            (DataType::Uint64, "18446744073709551615", "-1"),
            (DataType::Int8, "-128", "128"),
            (DataType::Int16, "-32768", "32768"),
            (DataType::Int32, "-2147483648", "2147483648"),
            (
                DataType::Int64,
                "-9223372036854775808",
                "9223372036854775808",
            ),
        ];
        for (datatype, fits, exceeds) in table {
            assert!(is_in_range(datatype, fits), "{fits}");
            assert!(!is_in_range(datatype, exceeds), "{exceeds}");
        }
    }

    #[test]
    fn a_value_must_have_the_kind_of_its_member() {
        let values = ["1", "18446744073709551615", "1.5", "true", r#""a""#, "null"];
        // The kind, and which of these values it allows.
        let table = [
            (Kind::Integer, [true, true, false, false, false, false]),
            (Kind::Number, [true, true, true, false, false, false]),
            (Kind::Boolean, [false, false, false, true, false, false]),
            (Kind::Text, [false, false, false, false, true, false]),
            (Kind::Texts, [false, false, false, false, true, false]),
        ];
        for (kind, allowed) in table {
            for (value, allowed) in values.into_iter().zip(allowed) {
                let json = serde_json::from_str(value).unwrap();
                let got = check_kind("m", kind, json);
                assert_eq!(got.is_ok(), allowed, "{kind:?} {value}");
            }
        }
        for (value, allowed) in [(r#"["a","b"]"#, true), ("[]", true), (r#"["a",1]"#, false)] {
            let json = serde_json::from_str(value).unwrap();
            assert_eq!(
                check_kind("m", Kind::Texts, json).is_ok(),
                allowed,
                "{value}"
            );
        }
    }
}
