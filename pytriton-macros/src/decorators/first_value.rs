//! `#[first_value]`: a parameter receives the first row of its input.

use super::{Decoration, Decorator, Place};
use crate::errors::Errors;
use crate::value::{Form, Value};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "first_value",
    places: &[Place::Parameter],
    belongs: "a parameter: `#[first_value] scale: f32`",
    options: &["strict", "squeeze"],
    ..Decorator::NONE
};

/// The options of the decorator.
#[derive(Debug)]
pub(crate) struct FirstValue {
    pub(crate) decoration: Decoration,
    /// Whether different rows are an error.
    pub(crate) strict: Option<Value>,
    /// Whether the parameter is a single value, as its type already implies.
    pub(crate) squeeze: Option<Value>,
}

impl FirstValue {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        let options = decoration.options(errors);
        Self {
            decoration: decoration.clone(),
            strict: Value::take(&options, "strict", Form::Boolean, errors),
            squeeze: Value::take(&options, "squeeze", Form::Boolean, errors),
        }
    }
}
