use std::borrow::Cow;

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::text::excerpt;
use serde_json::value::RawValue;

use crate::error::{CodecError, Owner};
use crate::json::{Bounds, Object, Value, parse};

/// Parses the members of a `parameters` object.
pub(crate) fn members_of<'a, const N: usize>(
    raw: &'a RawValue,
    object: Object<N>,
    owner: &impl Fn() -> Owner,
    permit: &mut MemoryPermit,
) -> Result<[Option<&'a RawValue>; N], CodecError> {
    let value = Value::new(raw);
    if !value.is_object() {
        return Err(mistyped("parameters", object.noun, value, owner()));
    }
    Bounds::new(raw.get(), permit)?;
    parse(raw.get(), object).map_err(|error| CodecError::Json {
        message: excerpt(&error),
    })
}

/// Returns a member that must be a string.
pub(crate) fn string(
    member: &str,
    value: Option<Value<'_>>,
    owner: impl Fn() -> Owner,
    permit: &mut MemoryPermit,
) -> Result<String, CodecError> {
    let value = value.ok_or_else(|| missing(member, "a string", owner()))?;
    permit.grow(value.len())?;
    let string = value.string();
    string
        .map(Cow::into_owned)
        .ok_or_else(|| mistyped(member, "a string", value, owner()))
}

/// Creates the error of a missing member.
pub(crate) fn missing(member: &str, expected: &'static str, of: Owner) -> CodecError {
    CodecError::Member {
        member: member.to_owned(),
        of,
        expected,
        found: "nothing".to_owned(),
    }
}

/// Creates the error of a member with the wrong type.
pub(crate) fn mistyped(
    member: &str,
    expected: &'static str,
    value: Value<'_>,
    of: Owner,
) -> CodecError {
    CodecError::Member {
        member: member.to_owned(),
        of,
        expected,
        found: value.describe(),
    }
}
