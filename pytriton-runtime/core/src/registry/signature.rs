use crate::model::{Argument, CallMode, Declared, FirstValue, InputType, TensorDeclaration};
use crate::tensor::ElementCheck;
use crate::text::equal;

use super::violation::Violation;
use super::{ModelOptions, tensor_name_flaw};

/// The parameters of a model's function, with the effects of its decorators.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// The parameters, in order.
    pub arguments: &'static [Argument],
    /// Whether the function is under `#[batch]`.
    pub batch: bool,
    /// Whether the function has any steps.
    pub decorated: bool,
    /// Whether the function streams its responses.
    pub decoupled: bool,
    /// The inputs of a function that takes `&[Request]`.
    pub declared: &'static [TensorDeclaration],
}

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
    /// Whether the function takes raw requests.
    pub const fn raw(&self) -> bool {
        self.takes(Declared::Requests, self.arguments.len())
    }

    /// Returns the unit that one call of the function processes.
    pub const fn call(&self) -> CallMode {
        match self.batch {
            _ if self.raw() => CallMode::Raw,
            true => CallMode::Batch,
            false => CallMode::Request,
        }
    }

    /// Whether only requests with equal parameters share a call.
    pub const fn by_parameters(&self) -> bool {
        matches!(self.call(), CallMode::Batch) && self.takes_parameters()
    }

    /// Whether the function takes the request parameters.
    pub const fn takes_parameters(&self) -> bool {
        self.takes(Declared::Parameters, self.arguments.len())
    }

    /// Whether the function takes the identity of the client.
    pub const fn takes_identity(&self) -> bool {
        self.takes(Declared::Identity, self.arguments.len())
    }

    /// The number of inputs before the argument with this index.
    #[inline]
    pub const fn inputs_before(&self, argument: usize) -> usize {
        let mut inputs = 0;
        let mut index = 0;
        while index < argument {
            if self.arguments[index].input().is_some() {
                inputs += 1;
            }
            index += 1;
        }
        inputs
    }

    /// The number of inputs.
    pub(super) const fn input_count(&self) -> usize {
        match self.raw() {
            true => self.declared.len(),
            false => self.inputs_before(self.arguments.len()),
        }
    }

    /// The inputs, in order.
    pub(super) fn inputs(&self) -> Vec<TensorDeclaration> {
        let inputs = 0..self.input_count();
        inputs.map(|input| self.input(input)).collect()
    }

    /// The input with this index.
    pub(super) const fn input(&self, input: usize) -> TensorDeclaration {
        if self.raw() {
            return self.declared[input];
        }
        let mut argument = 0;
        while self.inputs_before(argument + 1) <= input {
            argument += 1;
        }
        self.arguments[argument].declaration()
    }

    /// The inputs with one value for the whole call.
    pub(super) fn first_values(&self) -> Vec<FirstValue> {
        let arguments = self.arguments.iter().enumerate();
        let values = arguments.filter_map(|(index, argument)| {
            let strict = argument.first_value?;
            let input = self.inputs_before(index);
            Some(FirstValue { input, strict })
        });
        values.collect()
    }

    /// The inputs whose elements must be valid UTF-8.
    pub(super) fn utf8_inputs(&self) -> Vec<usize> {
        let arguments = self.arguments.iter().enumerate();
        let texts = arguments.filter(|(_, argument)| argument.input().is_some_and(|of| of.utf8));
        texts.map(|(index, _)| self.inputs_before(index)).collect()
    }

    /// The inputs whose rows may have different lengths within a batch.
    pub(super) fn ragged_inputs(&self) -> Vec<usize> {
        let arguments = self.arguments.iter().enumerate();
        let ragged = arguments.filter(|(_, argument)| argument.input().is_some_and(|of| of.ragged));
        ragged.map(|(index, _)| self.inputs_before(index)).collect()
    }

    /// The inputs that are decoded to validate them.
    pub(super) fn decoded_inputs(&self) -> Vec<(usize, ElementCheck)> {
        let arguments = self.arguments.iter().enumerate();
        let decoded = arguments.filter_map(|(index, argument)| {
            Some((self.inputs_before(index), argument.input()?.check?))
        });
        decoded.collect()
    }

    /// Whether the function checks for cancellation.
    pub const fn cancellable(&self) -> bool {
        self.takes(Declared::Cancellation, self.arguments.len()) || self.calls()
    }

    /// Whether the function calls other models. These calls are cancelled with its requests.
    const fn calls(&self) -> bool {
        let mut index = 0;
        while index < self.arguments.len() {
            if let Declared::Call { .. } = self.arguments[index].declared {
                return true;
            }
            index += 1;
        }
        false
    }

    /// The outputs of one response, if the function takes `Responses`.
    pub const fn response_outputs(&self) -> &'static [TensorDeclaration] {
        let mut index = 0;
        while index < self.arguments.len() {
            if let Declared::Responses { outputs, .. } = self.arguments[index].declared {
                return outputs;
            }
            index += 1;
        }
        &[]
    }

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

    /// Whether the function takes sequences.
    const fn knows_sequences(&self) -> bool {
        let each = false;
        let all = self.arguments.len();
        self.takes(Declared::Sequence { each }, all) || self.takes(Declared::State { each }, all)
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

    /// The error in a step that sees the rows of a batch.
    pub const fn step_flaw(&self) -> Violation {
        if self.decoupled {
            return Some(
                "a decorator supports one response per request: remove this, or return a single response",
            );
        }
        if self.knows_sequences() {
            return Some(
                "a decorator can reorder rows, but not the sequences of the rows: remove the decorator, or take no sequences",
            );
        }
        None
    }

    /// The error in `#[batch]`.
    pub const fn batch_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        match options.batching {
            true => None,
            false => Some(
                "`#[batch]` needs a batch axis: write `#[sample]`, or remove `batching = false`",
            ),
        }
    }

    /// The error in `#[sample]`.
    pub const fn sample_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        match options.batching {
            true => Some(
                "`#[sample]` takes a request without a batch axis: write `batching = false` in `#[pytriton::model(…)]`, or `#[batch]`",
            ),
            false => None,
        }
    }

    /// The error in the combination of all parameters.
    pub const fn whole_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        if self.decoupled && options.call_options.response_cache {
            return Some(
                "`response_cache = true` stores one response per request: remove it, or return a single response",
            );
        }
        if self.decoupled && options.preserve_ordering {
            return Some(
                "the order of streamed responses is not preserved: remove `preserve_ordering`, or return a single response",
            );
        }
        // The first input of an OpenAI route is reported on its attribute.
        match options.batching && options.openai.is_none() && self.input_count() == 0 {
            true if self.raw() => Some(
                "a model with a batch axis needs an input: write `#[input(name = \"INPUT_1\", datatype = FP32, shape = [-1])]` above the function",
            ),
            true => Some(
                "a model with a batch axis needs an input: take an array such as `x: ArrayView2<f32>`, or write `batching = false`",
            ),
            false => None,
        }
    }

    /// The reason why the function cannot be called on a thread that serves connections.
    pub const fn inline_flaw(&self, is_async: bool, options: &ModelOptions<'_>) -> Violation {
        match options.call_options.inline {
            false => None,
            true if is_async => {
                Some("an `inline` call cannot await: remove `inline`, or `async` from the function")
            }
            true if self.decoupled => Some(
                "an `inline` call has one response: remove `inline`, or return a single response",
            ),
            true if self.calls() => Some(
                "an `inline` call cannot wait for another model: remove `inline`, or take no `&Call`",
            ),
            true if self.cancellable() => Some(
                "an `inline` call cannot be cancelled: remove `inline`, or take no `&Cancellation`",
            ),
            true => None,
        }
    }

    /// The error in declaring an input on a function that takes arrays.
    pub const fn declared_flaw(&self) -> Violation {
        match self.raw() {
            true => None,
            false => Some(
                "`#[input]` belongs on a parameter: `#[input(name = \"INPUT_1\")] x: ArrayView2<f32>`",
            ),
        }
    }

    /// The error in its shape.
    pub const fn declared_shape_flaw(&self, input: usize) -> Violation {
        match self.raw() {
            true => self.declared[input].shape_flaw(false),
            false => None,
        }
    }

    /// The error in its sample values.
    pub const fn declared_example_flaw(&self, input: usize) -> Violation {
        match self.raw() {
            true => self.declared[input].example_flaw(),
            false => None,
        }
    }

    /// Whether one of the first arguments has this declaration.
    const fn takes(&self, declared: Declared, first: usize) -> bool {
        let mut index = 0;
        while index < first {
            match (self.arguments[index].declared, declared) {
                (Declared::Parameters, Declared::Parameters)
                | (Declared::Identity, Declared::Identity)
                | (Declared::Context, Declared::Context)
                | (Declared::Requests, Declared::Requests)
                | (Declared::Sequence { .. }, Declared::Sequence { .. })
                | (Declared::State { .. }, Declared::State { .. })
                | (Declared::Cancellation, Declared::Cancellation)
                | (Declared::Responses { .. }, Declared::Responses { .. }) => return true,
                _ => {}
            }
            index += 1;
        }
        false
    }
}
