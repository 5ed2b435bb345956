use crate::text::equal;

use super::violation::Violation;
use super::{ModelOptions, Signature};

const NO_INPUT: &str = "this is not an input: write the name of an array";
const FIRST_VALUE: &str = "this is one value for the whole batch and has no cost: write the name of an input with a value in each row";

impl Signature {
    /// The error in the input that `#[cost]` names.
    pub const fn cost_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        let Some(name) = options.cost else {
            return None;
        };
        let mut index = 0;
        while index < self.arguments.len() {
            let argument = &self.arguments[index];
            if let Some(input) = argument.input_name()
                && equal(input, name)
            {
                return match argument.first_value {
                    Some(_) => Some(FIRST_VALUE),
                    None => None,
                };
            }
            index += 1;
        }
        let mut index = 0;
        while index < self.declared.len() {
            if equal(self.declared[index].name, name) {
                return None;
            }
            index += 1;
        }
        Some(NO_INPUT)
    }
}
