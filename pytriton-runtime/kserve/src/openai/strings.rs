use pytriton_core::memory_budget::MemoryPermit;
use serde_json::value::RawValue;

use crate::json::Value;

use super::OpenAiError;
use super::elements::elements;
use super::member_value::{invalid, invalid_elements};

/// Returns the strings of a member that is a string or an array of strings, as JSON.
///
/// # Errors
///
/// Returns [`OpenAiError::Invalid`] if it is something else, is empty or has more than `limit`
/// strings, or an error if the memory of the list cannot be reserved.
pub(super) fn strings<'a>(
    member: &str,
    value: &'a RawValue,
    limit: usize,
    permit: &mut MemoryPermit,
) -> Result<Vec<&'a RawValue>, OpenAiError> {
    if value.get().starts_with('"') {
        return Ok(vec![value]);
    }
    if !value.get().starts_with('[') {
        let found = Value::new(value).describe();
        let what = format!("expected a string or an array of strings, found {found}");
        return Err(invalid(member, what));
    }
    let strings =
        elements(value, limit, permit).map_err(|error| invalid_elements(member, error))?;
    if strings.is_empty() {
        return Err(invalid(member, "expected at least one".to_owned()));
    }
    if let Some(other) = strings.iter().find(|one| !one.get().starts_with('"')) {
        let found = Value::new(other).describe();
        let what = format!("tokens are not supported, expected a string, found {found}");
        return Err(invalid(member, what));
    }
    Ok(strings)
}
