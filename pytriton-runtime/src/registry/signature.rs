use crate::model::{CallMode, Declared, FirstValue, InputType, OutputOverride, TensorDeclaration};

use super::{ModelOptions, refuse, tensor_name_flaw};

/// What keeps a parameter from being one, with what to write instead.
type Flaw = Option<&'static str>;

/// The parameters of a model's function, and what its decorators make of them.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// In the function's order.
    pub arguments: &'static [Argument],
    /// Whether the function is under `#[batch]`.
    pub batch: bool,
    /// Whether any step stands around the function.
    pub decorated: bool,
    /// Whether the function returns any number of answers.
    pub decoupled: bool,
    /// The inputs of a function that takes `&[Request]`.
    pub declared: &'static [TensorDeclaration],
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// What its type declares.
    pub declared: Declared,
    /// The name of the input; `None` for a parameter without one.
    pub name: Option<&'static str>,
    /// The dims of the input without the batch axis.
    pub shape: Option<&'static [i64]>,
    /// `#[first_value]`, and whether it is strict.
    pub first_value: Option<bool>,
    /// Whether it says that the value is squeezed.
    pub squeeze: Option<bool>,
    /// Whether `#[fill_optionals]` has a value for it.
    pub filled: bool,
    /// What the input is, for people.
    pub description: &'static str,
}

const TWICE: &str = "this is taken twice: remove one";
const NO_INPUT: &str = "this is no input: remove `#[input]`";
const NOT_FILLED: &str = "this is no input: `#[fill_optionals]` has no value for it";
const OTHER_INPUTS: &str = "a function that takes `&[Request]` has no other inputs: remove this parameter, and call `request.array(\"…\")`";
const OWN_SEQUENCES: &str = "requests that are taken as they are have sequences of their own: remove this, and call `request.sequence()`";
const NO_SEQUENCES: &str = "the requests of this model are in no sequence: write `sequence_batching = direct` in `#[pytriton::model(…)]`";
const EACH_SEQUENCE: &str = "a call has a sequence for each of its rows: write `&[&Sequence]`";
const ONE_SEQUENCE: &str =
    "a call has one request, and one sequence: write `&Sequence`, or `#[batch]` above the function";
const TWO_STATES: &str = "a sequence has one state: remove this, and put both into one type";
const EACH_STATE: &str = "a call has a state for each of its requests: write `&mut [&mut …]`";
const ONE_STATE: &str = "a call has one request, and the state of its sequence: write `&mut …`, or `#[batch]` above the function";
const OWN_PARAMETERS: &str = "requests that are taken as they are have parameters of their own: remove this, and call `request.parameters()`";
const CACHED_PARAMETERS: &str = "`response_cache = true` gives requests of the same inputs the same response, whatever their parameters are: remove it, or take no `&Parameters`";
const CACHED_REQUESTS: &str = "`response_cache = true` gives requests of the same inputs the same response, whatever their parameters are: remove it, or take arrays";
const NO_NAME: &str = "a parameter needs a name, which is the input's: write `x: …`, or `#[input(name = \"x\")]` before it";
const ONE_VALUE: &str =
    "every dimension of a single value is 1: write `shape = [1]`, or take an array";
const HIDDEN_RESPONSES: &str =
    "a model's answers are told by the name of the type: write `&Responses<…>`";
const EACH_RESPONSES: &str =
    "a call has one way for its answers: write `&Responses<…>`, or take `&[Request]` too";
const ALL_RESPONSES: &str = "each request has its own answers: write `Vec<Responses<…>>`";
const NO_ARRAY: &str =
    "a parameter's type is named like an array and is none: give it another name";
const NO_STEPS: &str = "`&[Request]` takes the requests as they are: remove what stands around the function, or take arrays";

impl Signature {
    /// Whether the function takes the requests as they are.
    pub const fn raw(&self) -> bool {
        self.takes(Declared::Requests, self.arguments.len())
    }

    /// What one call of the function sees.
    pub const fn call(&self) -> CallMode {
        match self.batch {
            _ if self.raw() => CallMode::Raw,
            true => CallMode::Batch,
            false => CallMode::Request,
        }
    }

    /// Whether requests of different parameters are called apart.
    pub const fn by_parameters(&self) -> bool {
        matches!(self.call(), CallMode::Batch) && self.takes_parameters()
    }

    /// Whether the function asks for the parameters of its requests.
    pub const fn takes_parameters(&self) -> bool {
        self.takes(Declared::Parameters, self.arguments.len())
    }

    /// How many inputs there are before the argument of that index.
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

    /// How many inputs the model has.
    pub(super) const fn input_count(&self) -> usize {
        match self.raw() {
            true => self.declared.len(),
            false => self.inputs_before(self.arguments.len()),
        }
    }

    /// The inputs in their order.
    pub(super) fn inputs(&self) -> Vec<TensorDeclaration> {
        let inputs = 0..self.input_count();
        inputs.map(|input| self.input(input)).collect()
    }

    /// The input of that index.
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

    /// The inputs that are one value for the whole call.
    pub(super) fn first_values(&self) -> Vec<FirstValue> {
        let arguments = self.arguments.iter().enumerate();
        let values = arguments.filter_map(|(index, argument)| {
            let strict = argument.first_value?;
            let input = self.inputs_before(index);
            Some(FirstValue { input, strict })
        });
        values.collect()
    }

    /// Whether the function asks if anybody waits for its answers.
    pub const fn cancellable(&self) -> bool {
        self.takes(Declared::Cancellation, self.arguments.len())
    }

    /// The outputs of one answer, where the function takes `Responses`.
    pub const fn answers(&self) -> &'static [TensorDeclaration] {
        let mut index = 0;
        while index < self.arguments.len() {
            if let Declared::Responses { outputs, .. } = self.arguments[index].declared {
                return outputs;
            }
            index += 1;
        }
        &[]
    }

    /// What is wrong with the type of the argument of that index.
    pub const fn flaw(&self, argument: usize, options: &ModelOptions<'_>) -> Flaw {
        let one = &self.arguments[argument];
        if let Some(surface) = options.openai
            && let Some(flaw) = one.openai_flaw(surface)
        {
            return Some(flaw);
        }
        match one.declared {
            Declared::Input(_) | Declared::Value(_) if self.raw() => Some(OTHER_INPUTS),
            Declared::Input(_) | Declared::Value(_) if one.name.is_none() => Some(NO_NAME),
            Declared::Input(_) | Declared::Value(_) => one.declaration().flaw(options.batching),
            declared @ Declared::State { .. } if self.takes(declared, argument) => Some(TWO_STATES),
            declared if self.takes(declared, argument) => Some(TWICE),
            _ if one.filled => Some(NOT_FILLED),
            Declared::Sequence { each } | Declared::State { each } => {
                self.sequence_flaw(one.declared, each, options)
            }
            Declared::Parameters if self.raw() => Some(OWN_PARAMETERS),
            Declared::Parameters if options.response_cache => Some(CACHED_PARAMETERS),
            Declared::Responses { .. } if !self.decoupled => Some(HIDDEN_RESPONSES),
            Declared::Responses { each: true, .. } if !self.raw() => Some(EACH_RESPONSES),
            Declared::Responses { each: false, .. } if self.raw() => Some(ALL_RESPONSES),
            Declared::Requests if self.decorated => Some(NO_STEPS),
            Declared::Requests if options.response_cache => Some(CACHED_REQUESTS),
            _ => None,
        }
    }

    /// What is wrong with the type of any argument, where each is named like an array with an axis beside the batch.
    pub const fn plain_flaw(&self, options: &ModelOptions<'_>) -> Flaw {
        let mut index = 0;
        while index < self.arguments.len() {
            let flaw = match self.arguments[index].declared {
                // It is what it is named like, and right whatever the options say.
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

    /// What is wrong with a sequence, or its state; whether each request of the call has its own.
    const fn sequence_flaw(
        &self,
        declared: Declared,
        each: bool,
        options: &ModelOptions<'_>,
    ) -> Flaw {
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

    /// Whether the function is told of sequences.
    const fn knows_sequences(&self) -> bool {
        let each = false;
        let all = self.arguments.len();
        self.takes(Declared::Sequence { each }, all) || self.takes(Declared::State { each }, all)
    }

    /// What is wrong with its shape.
    pub const fn shape_flaw(&self, argument: usize, options: &ModelOptions<'_>) -> Flaw {
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
            (Declared::Input(_), _) => one.declaration().shape_flaw(options.batching),
            _ => None,
        }
    }

    /// What is wrong with its name.
    pub const fn name_flaw(&self, argument: usize, _: &ModelOptions<'_>) -> Flaw {
        let Some(name) = self.arguments[argument].input_name() else {
            return None;
        };
        let mut other = 0;
        while other < self.arguments.len() {
            if let Some(text) = self.arguments[other].input_name()
                && other != argument
                && equal(text.as_bytes(), name.as_bytes())
            {
                return Some("another input has this name: write another `name = \"…\"`");
            }
            other += 1;
        }
        tensor_name_flaw(name)
    }

    /// What is wrong with `#[input]` on it.
    pub const fn given_flaw(&self, argument: usize, _: &ModelOptions<'_>) -> Flaw {
        match self.arguments[argument].input() {
            Some(_) => None,
            None => Some(NO_INPUT),
        }
    }

    /// What is wrong with `#[first_value]` on it.
    pub const fn first_value_flaw(&self, _: usize, options: &ModelOptions<'_>) -> Flaw {
        match self.batch {
            _ if !options.batching => {
                Some("`#[first_value]` needs a batch: remove it, or remove `batching = false`")
            }
            _ if options.sequence_batching.is_some() => Some(
                "the rows of a batch are of different sequences, which have no value in common: remove `#[first_value]`, and take an array",
            ),
            false if !self.raw() => {
                Some("`#[first_value]` needs a batch: write `#[batch]` above the function")
            }
            _ => None,
        }
    }

    /// What is wrong with its option `squeeze`.
    pub const fn squeeze_flaw(&self, argument: usize, _: &ModelOptions<'_>) -> Flaw {
        let one = &self.arguments[argument];
        match (one.declared, one.squeeze) {
            (Declared::Input(_), Some(true)) => Some(
                "an array is not squeezed: take a single value such as `f32`, or remove `squeeze`",
            ),
            (Declared::Value(_), Some(false)) => Some(
                "the parameter is the squeezed value: take an array such as `ArrayView1<f32>`, or remove `squeeze`",
            ),
            _ => None,
        }
    }

    /// What is wrong with the decorator of that name on the function.
    pub const fn step_flaw(&self, name: &str, options: &ModelOptions<'_>) -> Flaw {
        match name.as_bytes() {
            b"group_by_values" | b"pad_batch" | b"step" if self.decoupled => {
                Some("what stands around a function sees one answer: remove this, or return one")
            }
            b"group_by_values" | b"pad_batch" | b"step" if self.knows_sequences() => Some(
                "what stands around a function moves rows, and their sequences stay: remove this, or take no sequences",
            ),
            b"sample" if options.batching => Some(
                "`#[sample]` takes a request without a batch axis: write `batching = false` in `#[pytriton::model(…)]`, or `#[batch]`",
            ),
            b"batch" if !options.batching => Some(
                "`#[batch]` needs a batch axis: write `#[sample]`, or remove `batching = false`",
            ),
            _ => None,
        }
    }

    /// What is wrong with all of them together.
    pub const fn whole_flaw(&self, options: &ModelOptions<'_>) -> Flaw {
        if self.decoupled && options.response_cache {
            return Some(
                "`response_cache = true` keeps one response: remove it, or return one answer",
            );
        }
        if self.decoupled && options.preserve_ordering {
            return Some(
                "the order of many answers to many requests is not kept: remove `preserve_ordering`, or return one answer",
            );
        }
        match options.batching && self.input_count() == 0 {
            true if self.raw() => Some(
                "a model with a batch axis needs an input: write `#[input(name = \"INPUT_1\", datatype = FP32, shape = [-1])]` above the function",
            ),
            true => Some(
                "a model with a batch axis needs an input: take an array such as `x: ArrayView2<f32>`, or write `batching = false`",
            ),
            false => None,
        }
    }

    /// What is wrong with an input that is declared beside a function that takes arrays.
    pub const fn declared_flaw(&self) -> Flaw {
        match self.raw() {
            true => None,
            false => Some(
                "`#[input]` belongs on a parameter: `#[input(name = \"INPUT_1\")] x: ArrayView2<f32>`",
            ),
        }
    }

    /// What is wrong with its shape.
    pub const fn declared_shape_flaw(&self, input: usize) -> Flaw {
        match self.raw() {
            true => self.declared[input].shape_flaw(false),
            false => None,
        }
    }

    /// Whether one of the first so many arguments is that.
    const fn takes(&self, declared: Declared, first: usize) -> bool {
        let mut index = 0;
        while index < first {
            match (self.arguments[index].declared, declared) {
                (Declared::Parameters, Declared::Parameters)
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

impl Argument {
    /// A parameter of that type and name.
    pub const fn new(declared: Declared, name: Option<&'static str>) -> Self {
        Self {
            declared,
            name,
            shape: None,
            first_value: None,
            squeeze: None,
            filled: false,
            description: "",
        }
    }

    /// With these dims without the batch axis.
    #[must_use]
    pub const fn shape(mut self, shape: &'static [i64]) -> Self {
        self.shape = Some(shape);
        self
    }

    /// Under `#[first_value]`, strict or not.
    #[must_use]
    pub const fn first_value(mut self, strict: bool) -> Self {
        self.first_value = Some(strict);
        self
    }

    /// With the option `squeeze`.
    #[must_use]
    pub const fn squeeze(mut self, squeeze: bool) -> Self {
        self.squeeze = Some(squeeze);
        self
    }

    /// With a value where a request leaves it out.
    #[must_use]
    pub const fn filled(mut self) -> Self {
        self.filled = true;
        self
    }

    /// With what it is, for people.
    #[must_use]
    pub const fn described(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// What the type says of an input.
    const fn input(&self) -> Option<InputType> {
        match self.declared {
            Declared::Input(input) | Declared::Value(input) => Some(input),
            _ => None,
        }
    }

    pub(super) const fn input_name(&self) -> Option<&'static str> {
        match self.input() {
            Some(_) => self.name,
            None => None,
        }
    }

    /// The input; the placeholder for what is none.
    const fn declaration(&self) -> TensorDeclaration {
        let (input, shape) = match self.declared {
            Declared::Input(input) => (input, self.shape),
            Declared::Value(input) => match self.shape {
                None => (input, Some(&[1_i64] as &[i64])),
                shape => (input, shape),
            },
            _ => return TensorDeclaration::NONE,
        };
        let rank = match (input.rank, self.first_value) {
            // The first row has no batch axis any more.
            (Some(rank), Some(_)) => Some(rank + 1),
            (rank, _) => rank,
        };
        TensorDeclaration {
            name: match self.name {
                Some(name) => name,
                None => "",
            },
            datatype: input.datatype,
            rank,
            shape,
            optional: input.optional || self.filled,
            description: self.description,
            labels: "",
        }
    }
}

pub(super) const fn equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// What keeps a function's outputs from being the model's.
const fn outputs_flaw(outputs: &[TensorDeclaration], overrides: &[OutputOverride]) -> Flaw {
    if overrides.len() < outputs.len() && !overrides.is_empty() {
        return Some(
            "the function returns more outputs than it has `#[output]` attributes: write one for each, or none",
        );
    }
    if overrides.len() > outputs.len() {
        return Some(
            "the function returns fewer outputs than it has `#[output]` attributes: remove the last",
        );
    }
    if !outputs.is_empty() && outputs[0].name.is_empty() {
        return Some(
            "this cannot be returned by a model: write an owned array such as `Array2<f32>`, a tuple of arrays, a struct that derives `pytriton::Outputs`, or a `Result` of one of them",
        );
    }
    let mut index = 0;
    while index < outputs.len() {
        let output = overridden(outputs[index], overrides, index);
        let mut earlier = 0;
        while earlier < index {
            let other = overridden(outputs[earlier], overrides, earlier);
            if equal(other.name.as_bytes(), output.name.as_bytes()) {
                return Some("two outputs have one name: write `#[output(name = \"…\")]` for each");
            }
            earlier += 1;
        }
        index += 1;
    }
    None
}

/// What keeps an output from being one of the model's, and its name.
const fn output_flaw(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
    batching: bool,
) -> Option<(&'static str, &'static str)> {
    let mut index = 0;
    while index < outputs.len() {
        let output = overridden(outputs[index], overrides, index);
        let flaw = match output.flaw(batching) {
            // A shape that was overridden is refused where it stands.
            None if index < overrides.len() && overrides[index].shape.is_some() => None,
            None => output.shape_flaw(batching),
            flaw => flaw,
        };
        if let Some(flaw) = flaw {
            return Some((output.name, flaw));
        }
        index += 1;
    }
    None
}

/// What is wrong with the shape that `#[output]` gives the output of that index.
pub const fn override_flaw(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
    index: usize,
    batching: bool,
) -> Flaw {
    match index < outputs.len() && index < overrides.len() {
        true if overrides[index].shape.is_some() => {
            overridden(outputs[index], overrides, index).shape_flaw(batching)
        }
        _ => None,
    }
}

/// Refuses outputs at compile time, as [`refuse`](super::refuse) does; of several it names the one with a flaw of its own.
///
/// # Panics
///
/// In a constant, so that it is a compile error.
#[track_caller]
pub const fn refuse_outputs(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
    batching: bool,
) {
    refuse(outputs_flaw(outputs, overrides));
    let Some((name, flaw)) = output_flaw(outputs, overrides, batching) else {
        return;
    };
    let mut text = [0; 512];
    let mut end = 0;
    if outputs.len() > 1 {
        end = append(&mut text, end, "output `");
        end = append(&mut text, end, name);
        end = append(&mut text, end, "`: ");
    }
    end = append(&mut text, end, flaw);
    let text = text.split_at(end).0;
    match std::str::from_utf8(text) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("{}", flaw),
    }
}

/// Writes a text behind others, and says where it ends.
const fn append(buffer: &mut [u8], mut end: usize, text: &str) -> usize {
    let text = text.as_bytes();
    let mut index = 0;
    while index < text.len() && end < buffer.len() {
        buffer[end] = text[index];
        index += 1;
        end += 1;
    }
    end
}

/// An output with what `#[output]` says of it.
pub(super) const fn overridden(
    mut output: TensorDeclaration,
    overrides: &[OutputOverride],
    index: usize,
) -> TensorDeclaration {
    if index < overrides.len() {
        if let Some(name) = overrides[index].name {
            output.name = name;
        }
        if overrides[index].shape.is_some() {
            output.shape = overrides[index].shape;
        }
        if !overrides[index].labels.is_empty() {
            output.labels = overrides[index].labels;
        }
    }
    output
}
