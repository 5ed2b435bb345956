use std::borrow::Cow;
use std::fmt;

use pytriton_core::model::{ConfigMessage, OptionRow, OptionValue};

/// A protobuf message with field names; the fields are in Triton's order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message<'a> {
    /// The fields, each at most once.
    pub fields: Vec<Field<'a>>,
}

/// A field of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<'a> {
    /// The name.
    pub name: &'static str,
    /// The number.
    pub number: u32,
    /// The value.
    pub value: Value<'a>,
    /// Whether the model sets the value; otherwise it is Triton's default.
    pub explicit: bool,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// A scalar.
    Scalar(Scalar<'a>),
    /// A message.
    Message(Message<'a>),
    /// Signed integers.
    Numbers(Cow<'a, [i64]>),
    /// Messages.
    Messages(Vec<Message<'a>>),
    /// A map.
    Map(Vec<(Scalar<'a>, Message<'a>)>),
}

/// A scalar value.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A boolean.
    Boolean(bool),
    /// A non-negative integer.
    Number(u64),
    /// A floating-point number.
    Fraction(f32),
    /// An enum value: its name and its number.
    Enumeration(&'static str, u32),
}

impl<'a> Message<'a> {
    /// Adds a field that the model sets.
    pub(super) fn set(&mut self, name: &'static str, number: u32, value: impl Into<Value<'a>>) {
        self.put(name, number, value, true);
    }

    /// Adds a field with Triton's default value.
    pub(super) fn fill_in(&mut self, name: &'static str, number: u32, value: impl Into<Value<'a>>) {
        self.put(name, number, value, false);
    }

    /// Adds a field with the model's value or Triton's default.
    pub(super) fn put(
        &mut self,
        name: &'static str,
        number: u32,
        value: impl Into<Value<'a>>,
        explicit: bool,
    ) {
        let value = value.into();
        self.fields.push(Field {
            name,
            number,
            value,
            explicit,
        });
    }
}

impl Message<'_> {
    /// Adds an option of the model, if this message has a field for it.
    pub(super) fn put_option(&mut self, row: OptionRow, message: ConfigMessage, explicit: bool) {
        let Some(number) = row.number(message) else {
            return;
        };
        let value = match row.value {
            OptionValue::Boolean(boolean) => boolean.into(),
            OptionValue::Number(number) => number.into(),
            OptionValue::Fraction(fraction) => fraction.into(),
            OptionValue::Action(action) => {
                let (name, number) = action.config_value();
                Scalar::Enumeration(name, number)
            }
        };
        self.put(row.name, number, value, explicit);
    }
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Boolean(boolean) => boolean.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Fraction(number) => number.fmt(f),
            Self::Enumeration(name, _) => f.write_str(name),
        }
    }
}

impl<'a> From<&'a str> for Scalar<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Scalar<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<bool> for Scalar<'_> {
    fn from(boolean: bool) -> Self {
        Self::Boolean(boolean)
    }
}

impl From<u32> for Scalar<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Scalar<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<f32> for Scalar<'_> {
    fn from(number: f32) -> Self {
        Self::Fraction(number)
    }
}

impl<'a, S: Into<Scalar<'a>>> From<S> for Value<'a> {
    fn from(scalar: S) -> Self {
        Self::Scalar(scalar.into())
    }
}

impl<'a> From<&'a [i64]> for Value<'a> {
    fn from(numbers: &'a [i64]) -> Self {
        Self::Numbers(numbers.into())
    }
}

impl<'a> From<Message<'a>> for Value<'a> {
    fn from(message: Message<'a>) -> Self {
        Self::Message(message)
    }
}

impl<'a> From<Vec<Message<'a>>> for Value<'a> {
    fn from(messages: Vec<Message<'a>>) -> Self {
        Self::Messages(messages)
    }
}
