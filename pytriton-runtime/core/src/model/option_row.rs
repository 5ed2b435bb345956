use std::fmt;

use super::TimeoutAction;

/// A message of Triton's `model_config.proto` with options as fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigMessage {
    /// `ModelDynamicBatching`.
    Dynamic,
    /// `ModelSequenceBatching`.
    Sequence,
    /// `ModelSequenceBatching.StrategyDirect`.
    Direct,
    /// `ModelSequenceBatching.StrategyOldest`.
    Oldest,
    /// `ModelQueuePolicy`.
    Queue,
}

/// The value of an option.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the variants are named after their types")]
pub enum OptionValue {
    Boolean(bool),
    Number(u64),
    Fraction(f32),
    Action(TimeoutAction),
}

/// The value of an option, with its row in the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionRow {
    /// The name.
    pub name: &'static str,
    /// The value.
    pub value: OptionValue,
    /// The fields with the option: a message, and the number of the field.
    pub fields: &'static [(ConfigMessage, u32)],
}

impl OptionRow {
    /// The number of the field in a message, if the message has one.
    pub fn number(&self, message: ConfigMessage) -> Option<u32> {
        let mut fields = self.fields.iter();
        let (_, number) = fields.find(|(other, _)| *other == message)?;
        Some(*number)
    }
}

impl fmt::Display for OptionRow {
    /// `name = value`, or only the name of an option that is `true`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, .. } = self;
        match self.value {
            OptionValue::Boolean(true) => f.write_str(name),
            OptionValue::Boolean(false) => write!(f, "{name} = false"),
            OptionValue::Number(number) => write!(f, "{name} = {number}"),
            OptionValue::Fraction(fraction) => write!(f, "{name} = {fraction:?}"),
            OptionValue::Action(action) => write!(f, "{name} = \"{}\"", action.name()),
        }
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident;)*) => {$(
        impl From<$type> for OptionValue {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    bool => Boolean;
    u32 => Number;
    u64 => Number;
    f32 => Fraction;
    TimeoutAction => Action;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_shown_with_its_value_unless_it_is_true() {
        let table = [
            (OptionValue::Boolean(true), "x"),
            (OptionValue::Boolean(false), "x = false"),
            (OptionValue::Number(7), "x = 7"),
            (OptionValue::Fraction(1.0), "x = 1.0"),
            (OptionValue::Action(TimeoutAction::Delay), "x = \"delay\""),
        ];
        for (value, expected) in table {
            let row = OptionRow {
                name: "x",
                value,
                fields: &[],
            };
            assert_eq!(row.to_string(), expected);
        }
    }
}
