//! Parameters that are structs, whose fields are the inputs.

use crate::model::{Argument, Declared};
use crate::text::equal;

use super::parameter_flaws::REPEATED;
use super::violation::Violation;
use super::{ModelOptions, Signature, refuse};

const NO_FIELD: &str = "a field must be an input: make this a parameter of the function";
const NO_INPUT: &str = "the fields are the inputs: remove this, and write `#[input(…)]` on a field";
const NOT_FILLED: &str =
    "`#[fill_optionals]` cannot set the inputs of a struct: declare a field as `Option<…>`";
const NO_CLIENT: &str = "a model that takes a struct has no typed client: remove `client`, or make the fields parameters of the function";
const NO_WARMUP: &str = "a warm-up cannot set the inputs of a struct: make the required fields parameters of the function, or declare them as `Option<…>`";

/// Models with and without a batch axis.
const KINDS: [ModelOptions<'static>; 2] = [
    ModelOptions::DEFAULT,
    ModelOptions {
        batching: false,
        ..ModelOptions::DEFAULT
    },
];

/// Returns the arguments of a function, with the fields of structs in place of their parameters.
/// `N` is the number of arguments.
pub const fn with_fields<const N: usize>(parameters: &[Argument]) -> [Argument; N] {
    let mut arguments = [Argument::new(Declared::Context, None); N];
    let mut next = 0;
    let mut index = 0;
    while index < parameters.len() {
        let one = [parameters[index]];
        let fields = match parameters[index].declared {
            Declared::Fields(fields) => fields,
            _ => &one,
        };
        let mut field = 0;
        while field < fields.len() {
            arguments[next] = fields[field];
            next += 1;
            field += 1;
        }
        index += 1;
    }
    arguments
}

/// Returns the index of the first argument of each parameter, followed by the number of arguments.
/// `N` is the number of parameters, plus one.
pub const fn argument_indexes<const N: usize>(parameters: &[Argument]) -> [usize; N] {
    let mut indexes = [0; N];
    let mut index = 1;
    while index < N {
        indexes[index] = indexes[index - 1]
            + match parameters[index - 1].declared {
                Declared::Fields(fields) => fields.len(),
                _ => 1,
            };
        index += 1;
    }
    indexes
}

/// The error in the option `client` of a model.
pub const fn client_flaw(parameters: &[Argument]) -> Violation {
    let mut index = 0;
    while index < parameters.len() {
        if let Declared::Fields(_) = parameters[index].declared {
            return Some(NO_CLIENT);
        }
        index += 1;
    }
    None
}

/// The error in a warm-up of a model. It names parameters, so it cannot set a field.
pub const fn warmup_fields_flaw(parameters: &[Argument]) -> Violation {
    let mut index = 0;
    while index < parameters.len() {
        if let Declared::Fields(fields) = parameters[index].declared
            && has_required(fields)
        {
            return Some(NO_WARMUP);
        }
        index += 1;
    }
    None
}

/// Whether one of the fields of a struct is a required input.
const fn has_required(fields: &[Argument]) -> bool {
    let mut index = 0;
    while index < fields.len() {
        if let Some(name) = fields[index].input_name()
            && !fields[index].declaration().optional
            && !equal(name, UNKNOWN)
        {
            return true;
        }
        index += 1;
    }
    false
}

/// The name of an input in place of the fields of a struct that does not compile.
const UNKNOWN: &str = "__unknown";

impl Argument {
    /// An input in place of the fields of a struct that does not compile.
    pub const UNKNOWN: Self = {
        let input = crate::model::InputType::of::<f32>(Some(2), true);
        Self::new(Declared::Input(input), Some(UNKNOWN))
    };

    /// The error in `#[input]` on a parameter.
    pub const fn fields_given_flaw(&self) -> Violation {
        match self.declared {
            Declared::Fields(_) => Some(NO_INPUT),
            _ => None,
        }
    }
}

impl Signature {
    /// The fields of a struct, as parameters of a function that allows most.
    pub const fn of_fields(arguments: &'static [Argument]) -> Self {
        Self {
            arguments,
            batch: true,
            decorated: false,
            decoupled: false,
            declared: &[],
        }
    }

    /// The error that a field has in every model.
    pub const fn field_flaw(&self, field: usize) -> Violation {
        if self.arguments[field].input().is_none() {
            return Some(NO_FIELD);
        }
        match self.flaw(field, &KINDS[0]) {
            Some(flaw) if self.flaw(field, &KINDS[1]).is_some() => Some(flaw),
            _ => None,
        }
    }

    /// The error that the shape of a field has in every model.
    pub const fn field_shape_flaw(&self, field: usize) -> Violation {
        match self.shape_flaw(field, &KINDS[0]) {
            Some(flaw) if self.shape_flaw(field, &KINDS[1]).is_some() => Some(flaw),
            _ => None,
        }
    }

    /// The error in the sample values of a field.
    pub const fn field_example_flaw(&self, field: usize) -> Violation {
        self.example_flaw(field, &KINDS[0])
    }

    /// The error in the option `squeeze` of a field.
    pub const fn field_squeeze_flaw(&self, field: usize) -> Violation {
        self.squeeze_flaw(field, &KINDS[0])
    }

    /// The error in the name of an argument that an earlier parameter, before `first`, has too.
    pub const fn repeated_flaw(&self, argument: usize, first: usize) -> Violation {
        let mut other = 0;
        while other < first {
            if let Some(name) = self.arguments[argument].input_name()
                && let Some(text) = self.arguments[other].input_name()
                && equal(text, name)
            {
                return Some(REPEATED);
            }
            other += 1;
        }
        None
    }

    /// The error that a field has in this model. `first` is the index of the first field.
    const fn fields_flaw(
        &self,
        argument: usize,
        first: usize,
        options: &ModelOptions<'_>,
    ) -> Violation {
        // The derive has reported errors that do not depend on the model.
        let field = Self::of_fields(self.arguments.split_at(argument).1.split_at(1).0);
        if field.field_flaw(0).is_some() || field.field_shape_flaw(0).is_some() {
            return None;
        }
        let flaws = [
            self.flaw(argument, options),
            self.shape_flaw(argument, options),
            self.repeated_flaw(argument, first),
            match self.arguments[argument].first_value {
                Some(_) => self.first_value_flaw(argument, options),
                None => None,
            },
        ];
        let mut index = 0;
        while index < flaws.len() {
            if flaws[index].is_some() {
                return flaws[index];
            }
            index += 1;
        }
        None
    }
}

/// Raises a compile error if the parameter, or a field if it is a struct, does not fit the model.
/// `arguments` are the indexes of its first argument, and of that of the next parameter.
///
/// # Panics
///
/// Panics with the error. It is called in constants only.
#[track_caller]
pub const fn refuse_fields(
    parameter: &Argument,
    signature: &Signature,
    (first, end): (usize, usize),
    options: &ModelOptions<'_>,
) {
    let Declared::Fields(_) = parameter.declared else {
        return refuse(signature.flaw(first, options));
    };
    assert!(!parameter.filled, "{}", NOT_FILLED);
    let mut index = first;
    while index < end {
        if let Some(flaw) = signature.fields_flaw(index, first, options)
            && let Some(name) = signature.arguments[index].input_name()
        {
            refuse_field(name, flaw);
        }
        index += 1;
    }
}

/// Raises the error in a field.
#[track_caller]
const fn refuse_field(name: &str, flaw: &str) {
    let mut message = [0; 1024];
    let mut length = 0;
    let texts = ["input `", name, "`: ", flaw];
    let mut text = 0;
    while text < texts.len() {
        let bytes = texts[text].as_bytes();
        let mut index = 0;
        while index < bytes.len() && length < message.len() {
            message[length] = bytes[index];
            length += 1;
            index += 1;
        }
        text += 1;
    }
    match str::from_utf8(message.split_at(length).0) {
        Ok(message) => panic!("{}", message),
        Err(_) => panic!("{}", flaw),
    }
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
