//! The errors in the parameters of a model's function.

use crate::model::{CallMode, Declared, InputType};
use crate::text::equal;

use super::violation::Violation;
use super::{ModelOptions, Signature, tensor_name_flaw};

pub(super) const REPEATED: &str = "another input has this name: write another `name = \"…\"`";
const DUPLICATE_PARAMETER: &str = "two parameters have this type: remove one";
const NO_INPUT: &str = "this is not an input: remove `#[input]`";
const NOT_FILLED: &str = "this is not an input: `#[fill_optionals]` cannot set it";
const OTHER_INPUTS: &str = "a function that takes `&[Request]` has no other inputs: remove this parameter, and call `request.array(\"…\")`";
const OWN_SEQUENCES: &str =
    "each raw request has its own sequence: remove this, and call `request.sequence()`";
const NO_SEQUENCES: &str =
    "this model has no sequences: write `sequence_batching = direct` in `#[pytriton::model(…)]`";
const EACH_SEQUENCE: &str = "each row of a batch has its own sequence: write `&[&Sequence]`";
const ONE_SEQUENCE: &str = "without `#[batch]`, each call has one sequence: write `&Sequence`, or `#[batch]` above the function";
const TWO_STATES: &str =
    "a sequence has one state: remove this parameter, and combine both states in one type";
const EACH_STATE: &str =
    "each request of a batch has the state of its own sequence: write `&mut [&mut …]`";
const ONE_STATE: &str = "without `#[batch]`, each call has the state of one sequence: write `&mut …`, or `#[batch]` above the function";
const OWN_PARAMETERS: &str =
    "each raw request has its own parameters: remove this, and call `request.parameters()`";
const CACHED_PARAMETERS: &str = "`response_cache = true` returns the same response for the same inputs and ignores parameters: remove it, or take no `&Parameters`";
const CACHED_REQUESTS: &str = "`response_cache = true` returns the same response for the same inputs and ignores parameters: remove it, or take arrays";
const OWN_IDENTITY: &str =
    "each raw request has its own client: remove this, and call `request.identity()`";
const CACHED_IDENTITY: &str = "`response_cache = true` returns the same response for the same inputs to every client: remove it, or take no `&Identity`";
const NO_NAME: &str = "a parameter needs a name, which is also the name of the input: write `x: …`, or `#[input(name = \"x\")]` before it";
const ONE_VALUE: &str =
    "every dimension of a single value is 1: write `shape = [1]`, or take an array";
const HIDDEN_RESPONSES: &str =
    "`Responses` is recognized by the name of the type: write `&Responses<…>`";
const EACH_RESPONSES: &str =
    "a call has one `Responses`: write `&Responses<…>`, or take `&[Request]` too";
const ALL_RESPONSES: &str = "each request has its own responses: write `Vec<Responses<…>>`";
const RAGGED_REQUEST: &str = "a `Ragged` contains the rows of several requests: write `#[batch]` above the function, or take an array such as `ArrayView2<f32>`";
const RAGGED_SAMPLE: &str = "a `Ragged` contains the rows of several requests: take an array such as `ArrayView1<f32>`, or remove `batching = false` and write `#[batch]`";
const RAGGED_SHAPE: &str = "the rows of a `Ragged` have one dimension of any size: write `shape = [-1]`, or take an array with one dimension more than the shape";
const NO_ROWS: &str = "a `Vec` has one element for each row of a batch: take an array such as `ArrayView1<String>`, or remove `batching = false`";
const NO_ARRAY: &str = "this type has the name of an array type but is not one: rename it";
const NO_STEPS: &str = "`&[Request]` supports no decorators: remove them, or take arrays";

impl Signature {
    /// The error in the type of the argument with this index.
    pub const fn flaw(&self, argument: usize, options: &ModelOptions<'_>) -> Violation {
        let one = &self.arguments[argument];
        let member = match options.openai {
            Some(surface) if surface.generates_text() => one.text_flaw(surface),
            Some(_) => self.row_flaw(argument),
            None => None,
        };
        if member.is_some() {
            return member;
        }
        match one.declared {
            Declared::Input(_) | Declared::Value(_) if self.raw() => Some(OTHER_INPUTS),
            Declared::Input(_) | Declared::Value(_) if one.name.is_none() => Some(NO_NAME),
            Declared::Value(_)
                if one.first_value.is_none() && !options.batching && options.openai.is_none() =>
            {
                Some(NO_ROWS)
            }
            Declared::Input(InputType { ragged: true, .. }) if !self.batch => {
                Some(match options.batching {
                    true => RAGGED_REQUEST,
                    false => RAGGED_SAMPLE,
                })
            }
            Declared::Input(_) | Declared::Value(_) => one.declaration().flaw(options.batching),
            declared @ Declared::State { .. } if self.takes(declared, argument) => Some(TWO_STATES),
            declared if self.takes(declared, argument) => Some(DUPLICATE_PARAMETER),
            _ if one.filled => Some(NOT_FILLED),
            Declared::Sequence { each } | Declared::State { each } => {
                self.sequence_flaw(one.declared, each, options)
            }
            Declared::Parameters if self.raw() => Some(OWN_PARAMETERS),
            Declared::Parameters if options.call_options.response_cache => Some(CACHED_PARAMETERS),
            Declared::Identity if self.raw() => Some(OWN_IDENTITY),
            Declared::Identity if options.call_options.response_cache => Some(CACHED_IDENTITY),
            Declared::Responses { .. } if !self.decoupled => Some(HIDDEN_RESPONSES),
            Declared::Responses { each: true, .. } if !self.raw() => Some(EACH_RESPONSES),
            Declared::Responses { each: false, .. } if self.raw() => Some(ALL_RESPONSES),
            Declared::Requests if self.decorated => Some(NO_STEPS),
            Declared::Requests if options.call_options.response_cache => Some(CACHED_REQUESTS),
            _ => None,
        }
    }

    /// The error in the type of any argument, if each has the name of an array with an axis in
    /// addition to the batch.
    pub const fn plain_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        let mut index = 0;
        while index < self.arguments.len() {
            let flaw = match self.arguments[index].declared {
                // Its type is the one that its name suggests, and is valid with all options.
                Declared::Input(InputType {
                    rank: Some(2..), ..
                }) => None,
                Declared::Input(_) => self.flaw(index, options),
                _ => Some(NO_ARRAY),
            };
            if flaw.is_some() {
                return flaw;
            }
            index += 1;
        }
        None
    }

    /// The error in a sequence parameter or state parameter; `each` if there is one per request of
    /// the call.
    const fn sequence_flaw(
        &self,
        declared: Declared,
        each: bool,
        options: &ModelOptions<'_>,
    ) -> Violation {
        let many = !matches!(self.call(), CallMode::Request);
        match declared {
            _ if options.sequence_batching.is_none() => Some(NO_SEQUENCES),
            Declared::Sequence { .. } if self.raw() => Some(OWN_SEQUENCES),
            Declared::Sequence { .. } if many && !each => Some(EACH_SEQUENCE),
            Declared::Sequence { .. } if each && !many => Some(ONE_SEQUENCE),
            Declared::State { .. } if many && !each => Some(EACH_STATE),
            Declared::State { .. } if each && !many => Some(ONE_STATE),
            _ => None,
        }
    }

    /// The error in its shape.
    pub const fn shape_flaw(&self, argument: usize, options: &ModelOptions<'_>) -> Violation {
        let one = &self.arguments[argument];
        match (one.declared, one.shape) {
            (Declared::Value(_), Some([])) => Some(ONE_VALUE),
            (Declared::Value(_), Some(shape)) => {
                let mut index = 0;
                while index < shape.len() {
                    if shape[index] != 1 {
                        return Some(ONE_VALUE);
                    }
                    index += 1;
                }
                None
            }
            (Declared::Input(InputType { ragged: true, .. }), Some(shape))
                if !matches!(shape, [-1]) =>
            {
                Some(RAGGED_SHAPE)
            }
            (Declared::Input(_), _) => one.declaration().shape_flaw(options.batching),
            _ => None,
        }
    }

    /// The error in its sample values.
    pub const fn example_flaw(&self, argument: usize, _: &ModelOptions<'_>) -> Violation {
        // A parameter that is not an input is reported as such.
        match self.arguments[argument].input() {
            Some(_) => self.arguments[argument].declaration().example_flaw(),
            None => None,
        }
    }

    /// The error in its name.
    pub const fn name_flaw(&self, argument: usize, _: &ModelOptions<'_>) -> Violation {
        let Some(name) = self.arguments[argument].input_name() else {
            return None;
        };
        let mut other = 0;
        while other < self.arguments.len() {
            if let Some(text) = self.arguments[other].input_name()
                && other != argument
                && equal(text, name)
            {
                return Some(REPEATED);
            }
            other += 1;
        }
        tensor_name_flaw(name)
    }

    /// The error in its `#[input]`.
    pub const fn given_flaw(&self, argument: usize, _: &ModelOptions<'_>) -> Violation {
        match self.arguments[argument].input() {
            Some(_) => None,
            None => Some(NO_INPUT),
        }
    }

    /// The error in its `#[first_value]`.
    pub const fn first_value_flaw(&self, _: usize, options: &ModelOptions<'_>) -> Violation {
        match self.batch {
            _ if !options.batching => {
                Some("`#[first_value]` requires batches: remove it, or remove `batching = false`")
            }
            _ if options.sequence_batching.is_some() => Some(
                "the rows of a batch belong to different sequences, which may have different values: remove `#[first_value]`, and take an array",
            ),
            false if !self.raw() => {
                Some("`#[first_value]` requires batches: write `#[batch]` above the function")
            }
            _ => None,
        }
    }

    /// The error in its option `squeeze`.
    pub const fn squeeze_flaw(&self, argument: usize, _: &ModelOptions<'_>) -> Violation {
        let one = &self.arguments[argument];
        match (one.declared, one.squeeze) {
            (Declared::Input(_), Some(true)) => Some(
                "only single values can be squeezed: take a value such as `f32`, or remove `squeeze`",
            ),
            (Declared::Value(_), Some(false)) => Some(
                "a single value is always squeezed: take an array such as `ArrayView1<f32>`, or remove `squeeze`",
            ),
            _ => None,
        }
    }
}
