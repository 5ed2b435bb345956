//! The values of protobuf JSON, which has several forms for the same value.

use serde_json::Value;

/// Whether two fields are equal in protobuf JSON, which may omit defaults and encode integers as
/// strings.
pub(super) fn is_same(own: &Value, other: &Value) -> bool {
    let integer = |value: &Value| match value {
        Value::String(text) => text.parse::<i64>().ok(),
        value => value.as_i64(),
    };
    match (own, other) {
        (Value::Object(own), Value::Object(other)) => {
            let mut names = own.keys().chain(other.keys());
            names.all(|name| {
                let [own, other] = [own, other].map(|of| of.get(name).unwrap_or(&Value::Null));
                is_same(own, other)
            })
        }
        (Value::Array(own), Value::Array(other)) => {
            let mut pairs = own.iter().zip(other);
            own.len() == other.len() && pairs.all(|(own, other)| is_same(own, other))
        }
        _ => {
            own == other
                || (is_empty(own) && is_empty(other))
                || integer(own).is_some_and(|own| integer(other) == Some(own))
        }
    }
}

/// Parses a number, which protobuf JSON may encode as a string.
pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64(),
    }
}

/// Returns whether a member has its default value.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(boolean) => !boolean,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => ["", "0", "FORMAT_NONE"].contains(&text.as_str()),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}
