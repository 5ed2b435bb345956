use std::fmt::{self, Display, Formatter};

use toml::de::DeValue;

/// The TOML type of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Boolean,
    Number,
    Text,
    /// For an option that can be repeated.
    List(Scalar),
}

/// The type of the elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Number,
    Text,
}

impl Expected {
    /// Returns the values as on a command line, or the name of the actual type if it does not
    /// match.
    pub(super) fn read(self, value: &DeValue<'_>) -> Result<Vec<String>, &'static str> {
        let scalar = |expected: Self, value: &DeValue<'_>| match (expected, value) {
            (Self::Boolean, DeValue::Boolean(value)) => Ok(value.to_string()),
            (Self::Text, DeValue::String(text)) => Ok(text.to_string()),
            (Self::Number, DeValue::Integer(number)) => Ok(match number.radix() {
                10 => number.as_str().to_owned(),
                radix => i128::from_str_radix(number.as_str(), radix)
                    .map_or_else(|_| number.as_str().to_owned(), |number| number.to_string()),
            }),
            (Self::Number, DeValue::Float(number)) => Ok(number.as_str().to_owned()),
            (_, other) => Err(found(other)),
        };
        match (self, value) {
            (Self::List(item), DeValue::Array(items)) => {
                let expected = match item {
                    Scalar::Number => Self::Number,
                    Scalar::Text => Self::Text,
                };
                let items = items.iter().map(|item| scalar(expected, item.get_ref()));
                items.collect::<Result<_, _>>().map_err(in_list)
            }
            (expected, value) => Ok(vec![scalar(expected, value)?]),
        }
    }
}

impl Display for Expected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "`true` or `false`",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::List(Scalar::Text) => "a list of strings, such as [\"…\"]",
            Self::List(Scalar::Number) => "a list of numbers, such as [1]",
        })
    }
}

fn found(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn in_list(found: &'static str) -> &'static str {
    match found {
        "a string" => "a string in the list",
        "a number" => "a number in the list",
        "a boolean" => "a boolean in the list",
        "a list" => "a list in the list",
        "a table" => "a table in the list",
        _ => "a date in the list",
    }
}
