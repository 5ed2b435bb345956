//! The rules of functions whose rows are the texts of OpenAI requests.

use crate::model::{OutputOverride, TensorDeclaration};
use crate::tensor::DataType;
use crate::text::equal;

use super::member::{Member, PROMPT_TOKENS};
use super::outputs::overridden;
use super::violation::Violation;
use super::{ModelOptions, Signature};

const NO_TEXTS: &str = "the texts are missing: take `texts: Vec<String>`";
const NOT_TEXTS: &str = "the first input must be one text per row: take `texts: Vec<String>`";
const OWN: &str =
    "the server handles this member of OpenAI requests itself: rename the parameter, or remove it";
const NOT_SINGLE: &str = "every other input must have one value per row: write `#[input(shape = [1])]`, or take a value under `#[first_value]`";
const STREAMED: &str = "a response has one vector for each text: return `Array2<f32>`";
const SEQUENCES: &str = "the texts of OpenAI requests belong to no sequence: remove `#[openai]`";
const NO_VECTORS: &str = "the first output must be one `f32` vector per text: return `Array2<f32>`";
const NO_COUNT: &str =
    "`prompt_tokens` is the number of tokens of each text: return `Array2<i64>` for it";

impl Signature {
    /// The error in an input: the first one receives the texts, each other one the member of its
    /// name.
    pub(super) const fn row_flaw(&self, argument: usize) -> Violation {
        let one = &self.arguments[argument];
        let (Some(input), Some(name)) = (one.input(), one.input_name()) else {
            return None;
        };
        let is_single = is_single(one.declaration().shape);
        if self.inputs_before(argument) == 0 {
            let is_text = matches!(input.datatype, DataType::Bytes)
                && is_single
                && !one.declaration().optional
                && one.first_value.is_none();
            return match is_text {
                true if Member::is_own(name) => Some(OWN),
                true => None,
                false => Some(NOT_TEXTS),
            };
        }
        match is_single {
            _ if Member::is_own_of_rows(name) => Some(OWN),
            false => Some(NOT_SINGLE),
            true => None,
        }
    }

    /// The error in the function as a whole.
    pub(super) const fn rows_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        match self.inputs_before(self.arguments.len()) {
            0 => Some(NO_TEXTS),
            _ if self.decoupled => Some(STREAMED),
            _ if options.sequence_batching.is_some() => Some(SEQUENCES),
            _ => None,
        }
    }
}

/// The error in the outputs of a function with an OpenAI route that returns vectors.
pub const fn vectors_flaw(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
) -> Violation {
    let mut index = 0;
    while index < outputs.len() {
        let output = overridden(outputs[index], overrides, index);
        let dims = match (output.shape, output.rank) {
            (Some(shape), _) => shape.len(),
            (None, Some(rank)) => rank.saturating_sub(1),
            (None, None) => 0,
        };
        let is_vector = matches!(output.datatype, DataType::Fp32) && dims == 1 && !output.optional;
        let is_count = matches!(output.datatype, DataType::Int64) && !output.optional;
        if index == 0 && !is_vector {
            return Some(NO_VECTORS);
        }
        if equal(output.name, PROMPT_TOKENS) && !is_count {
            return Some(NO_COUNT);
        }
        index += 1;
    }
    None
}

/// Whether dimensions are those of one element.
const fn is_single(dims: Option<&[i64]>) -> bool {
    let Some(dims) = dims else {
        return false;
    };
    let mut index = 0;
    while index < dims.len() {
        if dims[index] != 1 {
            return false;
        }
        index += 1;
    }
    true
}
